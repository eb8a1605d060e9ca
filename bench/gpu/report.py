# Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a run has found, as text: what is wrong first, then figures, then which targets are met.

Times are device times (timing.py); a ratio is the other's time over Stitch's: above 1, Stitch is faster. bench/results/README.md
says what each column means.
"""
import math

OTHERS = ["xla", "torch.compile", "max-autotune", "eager"]
LARGE_ELEMENTS = 4 << 20  # from here on bandwidth is what counts
TARGETS = {"xla": 1.3, "torch.compile": 1.1, "worst": 0.95, "bandwidth": 0.85, "models": 1.84, "graph_us": 5.0, "eager_us": 2.5}
ALL_RIGHT, WRONG, INCOMPLETE = 0, 1, 3
TF32 = "stitch tf32"
MEASURED = {"alone": "alone", "models": "models", "networks": "time_networks", "kernels": "kernels"}  # the parts whose cases are figures: their stages
SHOWN = 8  # problems of a kind that the short text lists


def geometric_mean(values):
    return math.exp(sum(map(math.log, values)) / len(values)) if values else None


def table(header, rows):
    cells = [header] + [["-" if c is None else str(c) for c in row] for row in rows]
    widths = [max(len(row[i]) for row in cells) for i in range(len(header))]
    lines = [" | ".join(c.rjust(w) if i else c.ljust(w) for i, (c, w) in enumerate(zip(row, widths))).rstrip() for row in cells]
    return "\n".join([lines[0], "-+-".join("-" * w for w in widths)] + lines[1:])


def number(value, form="{:.2f}"):
    return None if value is None else form.format(value)


def percent(value):
    return number(value, "{:.0%}")


# ---------------------------------------------------------------------------------------------------------------------
# Right or wrong
# ---------------------------------------------------------------------------------------------------------------------


def reason_of(found):
    if "reason" in found:
        return found["reason"]
    if found.get("repeatable") is False:
        return "three runs do not agree bit for bit"
    for index, output in enumerate(found.get("outputs", [])):
        if not output["ok"]:
            return output.get("reason") or f"output {index}: error {output['error']:.3g}, bound {output['bound']:.3g}"
    return found.get("summary") or "not right"


def wrong_cases(cases):
    return [(name, reason_of(found)) for name, found in cases.items() if found.get("ok") is False]


def crashed_cases(cases):
    """Of stages that measure: cases without figures."""
    return [(name, reason_of(found)) for name, found in cases.items() if "figures" not in found]


def disagreements(cases):
    """Of the kernels that are timed: implementations whose results are not within the bound of Stitch's."""
    return [(f"{name}, {who}", verdict.get("reason") or f"relative norm of the error {verdict['relative_norm']:.3g}")
            for name, found in cases.items() for who, verdict in found.get("right", {}).items() if not verdict["ok"]]


def failures_of(cases):
    return [(f"{name}, {who}", reason) for name, found in cases.items() for who, reason in found.get("failures", {}).items()]


def part_summary(stages):
    counts = []
    for name, stage in stages.items():
        if "missing" in stage or "skipped" in stage:
            counts.append(f"{name}: {stage.get('missing') or 'skipped, ' + stage['skipped']}")
            continue
        cases = stage["cases"]
        bad = crashed_cases(cases) if name in MEASURED.values() else wrong_cases(cases)
        counts.append(f"{name}: {len(cases)} cases, {len(bad)} bad" + ("" if stage["finished"] else ", not finished"))
    return "; ".join(counts) or "nothing was done"


def one_line(text):
    """What is left out of a long text is its middle: a traceback ends with the error."""
    line = text.strip().replace("\n", " / ")
    return line if len(line) <= 300 else f"{line[:80]} ... {line[-215:]}"


def listing(title, entries, limit):
    if not entries:
        return []
    lines = [f"{title}: {len(entries)}"] + [f"  {name}: {one_line(reason)}" for name, reason in entries[:limit]]
    return lines + ([f"  ... and {len(entries) - limit} more, in results.json"] if len(entries) > limit else [])


class Report:
    def __init__(self, results, manifest):
        self.results, self.parts, self.manifest = results, results["parts"], manifest
        self.on_gpu = results["device"].startswith("cuda")
        self.kernels = {k["id"]: k for k in manifest["kernels"]}
        self.status = ALL_RIGHT

    def stage(self, part, name):
        return self.parts.get(part, {}).get(name, {})

    def cases(self, part, name):
        return self.stage(part, name).get("cases", {})

    # -- what is wrong ------------------------------------------------------------------------------------------------

    def problems(self, limit):
        lines, wrong, incomplete = [], [], []
        for part, name, what in (("check", "check_programs", "WRONG by stitch-run --check"), ("check", "check_kernels", "WRONG against float64"),
                                 ("sanitizer", "sanitizer", "SANITIZER FINDINGS"), ("barrier", "fixed_costs", "FIXED COSTS FAILED"),
                                 ("tune", "tune", "TUNING FAILED")):
            bad = wrong_cases(self.cases(part, name))
            wrong += bad
            lines += listing(what, bad, limit)
        for part, stage in MEASURED.items():
            cases = self.cases(part, stage)
            crashed, failed, disagree = crashed_cases(cases), failures_of(cases), disagreements(cases)
            stitchs = [f for f in failed + disagree if ", stitch" in f[0]]
            others = [f for f in failed + disagree if ", stitch" not in f[0]]
            wrong += crashed + stitchs
            incomplete += others
            lines += listing(f"{part}: FAILED", crashed + stitchs, limit)
            lines += listing(f"{part}: others that could not be compared", others, limit)
        for part, stages in self.parts.items():
            for name, stage in stages.items():
                unknown = [(c, reason_of(f)) for c, f in stage["cases"].items() if "ok" in f and f["ok"] is None]
                lines += listing(f"{name}: not decided", unknown, limit)
                state = [f"{name}: {stage['missing']}"] if "missing" in stage else []
                state += [f"{name}: not finished"] if not stage["finished"] and "missing" not in stage else []
                incomplete += unknown + state
                lines += [f"MISSING  {s}" for s in state] + [f"note  {name}: {one_line(n)}" for n in stage["notes"][:limit]]
        if wrong:
            self.status = WRONG
        elif incomplete:
            self.status = INCOMPLETE
        return lines

    def correctness(self):
        lines = []
        for part, name, what in (("check", "check_programs", "stitch-run --check"), ("check", "check_kernels", "against float64"),
                                 ("sanitizer", "sanitizer", "compute-sanitizer")):
            cases = self.cases(part, name)
            if cases:
                right = sum(found.get("ok") is True for found in cases.values())
                lines.append(f"{what}: {right} of {len(cases)} right")
        return lines

    # -- fixed costs --------------------------------------------------------------------------------------------------

    def fixed_costs(self):
        return self.cases("barrier", "fixed_costs").get("fixed_costs", {}).get("figures", {})

    def ceilings(self):
        """Bytes per second of reading and copying: the best that was measured, by whatever program."""
        costs, torchs = self.fixed_costs(), [self.stage(part, part).get("ceilings", {}) for part in ("kernels", "alone")]
        best = {}
        for kind in ("read", "copy"):
            measured = [v for v in (costs.get(f"{kind}_bytes_per_second"), *[t.get(kind) for t in torchs]) if v]
            best[kind] = max(measured) if measured else None
        return best

    def costs_text(self):
        costs, ceilings = self.fixed_costs(), self.ceilings()
        lines = []
        if ceilings["read"] and ceilings["copy"]:
            lines.append(f"ceilings: read {ceilings['read'] / 1e12:.2f} TB/s, copy {ceilings['copy'] / 1e12:.2f} TB/s (read and written)")
        if not costs:
            return lines
        lines.append(f"launch {costs['launch_us']:.2f} us, cooperative {costs['cooperative_launch_us']:.2f}; graph node {costs['graph_node_us']:.2f}, "
                     f"graph of one {costs['graph_of_one_us']:.2f}; block barrier " +
                     ", ".join(f"{t}: {1e3 * us:.0f} ns" for t, us in costs["block_barrier_us"].items()))
        grids = sorted({b["blocks"] for b in costs["grid_barrier_us"]})
        sizes = sorted({b["threads"] for b in costs["grid_barrier_us"]})
        by = {(b["blocks"], b["threads"]): b["us"] for b in costs["grid_barrier_us"]}
        lines.append(table(["grid barrier, us: blocks"] + [f"{s} threads" for s in sizes],
                           [[g] + [number(by.get((g, s))) for s in sizes] for g in grids]))
        lines += self.latencies_text(costs)
        wave = [us for (blocks, _), us in by.items() if blocks == costs["sms"]]
        if wave:
            lines.append(f"for devices.def ({self.manifest['device']}): launch_ns {1e3 * costs['graph_node_us']:.0f}, barrier_ns "
                         f"{1e3 * min(wave):.0f} to {1e3 * max(wave):.0f}, bandwidth {(ceilings['copy'] or 0) / 1e9:.0f} GB/s")
        return lines

    @staticmethod
    def latencies_text(costs):
        """What the constants of ir/plan/cost.h stand for."""
        clusters = {(c["cluster"], c["clusters"] > 1, c["threads"]): c["us"] for c in costs.get("cluster_barrier_us", [])}
        sizes = sorted({threads for _, _, threads in clusters})
        lines = [table(["cluster barrier, us: blocks"] + [f"{s} threads" for s in sizes],
                       [[f"{blocks}, {'everywhere' if many else 'alone'}"] + [number(clusters.get((blocks, many, s))) for s in sizes]
                        for blocks, many in sorted({key[:2] for key in clusters})])] if clusters else []
        lines += ["clusters at once: " + ", ".join(f"{c} of {n} blocks" for n, c in costs["clusters_at_once"].items())] if "clusters_at_once" in costs else []
        lines += ["block exchange " + ", ".join(f"{t}: {1e3 * us:.0f} ns" for t, us in costs.get("block_exchange_us", {}).items())]
        lines += ["a load, nothing else under way: " + ", ".join(f"{c['mib']} MiB: {1e3 * c['us']:.0f} ns" for c in costs.get("load_us", []))]
        lines += ["second-level cache: " + ", ".join(f"{mib} MiB: {rate / 1e12:.2f} TB/s" for mib, rate in costs.get("cache_bytes_per_second", {}).items())]
        lines += ["a kernel that reads: " + ", ".join(f"{int(kib) / 1024:g} MiB: {us:.1f} us" for kib, us in costs.get("read_us", {}).items())]
        return lines

    # -- tuning -------------------------------------------------------------------------------------------------------

    def tuning_text(self):
        rows = [[name, number(found["planned_us"]), number(found["tuned_us"]), number(found["planned_us"] / found["tuned_us"])]
                for name, found in self.cases("tune", "tune").items() if found.get("tuned_us")]
        return [table(["tuned kernel, us", "as planned", "tuned", "ratio"], rows)] if rows else []

    # -- kernels ------------------------------------------------------------------------------------------------------

    def timed(self, part="kernels"):
        """Cases with a device time of Stitch: (entry of the manifest, figures)."""
        return [(self.kernels[name], found["figures"]) for name, found in self.cases(part, part).items()
                if name in self.kernels and found.get("figures", {}).get("stitch", {}).get("device_us")]

    @staticmethod
    def ratio(figures, other):
        theirs = figures.get(other, {}).get("device_us")
        return theirs / figures["stitch"]["device_us"] if theirs else None

    def best_ratio(self, figures):
        ratios = [r for r in (self.ratio(figures, o) for o in OTHERS) if r]
        return min(ratios) if ratios else None

    def bandwidth_share(self, case, figures):
        """The time that moving the kernel's inputs and outputs takes at the ceilings, over the measured time."""
        ceilings = self.ceilings()
        if not ceilings["read"] or not ceilings["copy"]:
            return None
        paired = min(case["bytes_in"], case["bytes_out"])
        rest = case["bytes_in"] - paired
        unpaired = case["bytes_out"] - paired
        floor = (2 * paired + unpaired) / ceilings["copy"] + rest / ceilings["read"]
        return floor * 1e6 / figures["stitch"]["device_us"]

    def kernel_rows(self, timed):
        groups = {}
        for case, figures in timed:
            groups.setdefault((case["kernel"], case["dtype"]), []).append((case, figures))
        rows = []
        for (kernel, dtype), members in sorted(groups.items()):
            means = [geometric_mean([r for r in (self.ratio(f, o) for _, f in members) if r]) for o in OTHERS]
            best = [r for r in (self.best_ratio(f) for _, f in members) if r]
            large = [self.bandwidth_share(c, f) for c, f in members if c["rows"] * c["columns"] >= LARGE_ELEMENTS]
            large = [s for s in large if s]
            rows.append([f"{kernel} {dtype}", len(members)] + [number(m) for m in means] +
                        [number(min(best)) if best else None, percent(sum(large) / len(large)) if large else None,
                         percent(min(large)) if large else None, self.counts(members, "stitch"), self.counts(members, "xla"),
                         self.counts(members, "torch.compile")])
        return rows

    def alone_text(self):
        """Stitch's kernels alone: how far from the ceiling, and from what the plan's cost says."""
        groups = {}
        for case, figures in self.timed("alone"):
            groups.setdefault((case["kernel"], case["dtype"]), []).append((case, figures))
        rows = []
        for (kernel, dtype), members in sorted(groups.items()):
            large = [(s, c["id"]) for c, f in members if c["rows"] * c["columns"] >= LARGE_ELEMENTS and (s := self.bandwidth_share(c, f))]
            off = geometric_mean([1e3 * f["stitch"]["device_us"] / c["cost_ns"]["total"] for c, f in members if not c["library_calls"]])
            rows.append([f"{kernel} {dtype}", len(members), percent(sum(s for s, _ in large) / len(large)) if large else None,
                         percent(min(large)[0]) if large else None, min(large)[1] if large else None, number(off)])
        return [table(["alone", "cases", "of ceiling", "least", "of", "measured / planned"], rows)] if rows else []

    @staticmethod
    def counts(members, who):
        counts = sorted({f[who]["kernels"] for _, f in members if f.get(who, {}).get("kernels")})
        return None if not counts else str(counts[0]) if len(counts) == 1 else f"{counts[0]}-{counts[-1]}"

    def kernels_text(self):
        timed = self.timed()
        if not timed:
            return []
        header = ["kernel", "cases", "/ XLA", "/ compile", "/ autotune", "/ eager", "worst / best", "of ceiling", "least", "kernels", "XLA's",
                  "compile's"]
        unprofiled = [f["stitch"]["no_profile"] for _, f in timed if f["stitch"].get("no_profile")]
        lines = [f"NO PROFILE in {len(unprofiled)} cases ({unprofiled[0]}): these times are of runs back to back, with warm caches"] if unprofiled else []
        lines += [f"{len(timed)} of {len(self.kernels)} kernels timed; geometric means of the others' times over Stitch's; of ceiling: from 4M elements",
                 table(header, self.kernel_rows(timed))]
        slowest = sorted(((r, c) for c, f in timed if (r := self.best_ratio(f)) and r < TARGETS["worst"]), key=lambda x: x[0])
        return lines + listing(f"slower than {TARGETS['worst']}x the best", [(c["id"], f"{r:.2f}") for r, c in slowest], SHOWN)

    def all_kernels(self):
        """The long table: every case."""
        header = ["case", "Stitch us", "spread", *[f"{o} us" for o in OTHERS], "of best", "of ceiling", "barriers"]
        rows = [[c["id"], number(f["stitch"]["device_us"]), number(f["stitch"]["spread"]),
                 *[number(f.get(o, {}).get("device_us")) for o in OTHERS], number(self.best_ratio(f)), percent(self.bandwidth_share(c, f)),
                 c["barriers"]] for c, f in sorted(self.timed(), key=lambda x: x[0]["id"])]
        return table(header, rows) if rows else ""

    # -- models -------------------------------------------------------------------------------------------------------

    def model_ratios(self):
        """XLA's time over Stitch's, both with products of float32 by tensor cores."""
        found = {}
        for name, case in self.cases("models", "models").items():
            figures = case.get("figures", {})
            ours, theirs = (figures.get(who, {}).get("device_us") for who in (TF32 if TF32 in figures else "stitch", "xla"))
            if ours:
                found[name] = theirs / ours if theirs else None
        return found

    def models_text(self):
        rows = []
        for name, case in self.cases("models", "models").items():
            figures = case.get("figures", {})
            s, x, host = figures.get("stitch", {}), figures.get("xla", {}), case.get("host", {})
            if s.get("device_us"):
                t = figures.get(TF32, {})
                rows.append([name, number(s["device_us"], "{:.1f}"), number(t.get("device_us"), "{:.1f}"), number(x.get("device_us"), "{:.1f}"), number(self.model_ratios()[name]),
                             number(s.get("wall_us"), "{:.0f}"), number(x.get("wall_us"), "{:.0f}"), s.get("kernels"), x.get("kernels"),
                             number(host.get("graph_us"), "{:.1f}"), number(host.get("eager_us"), "{:.1f}"), number(case.get("agreement"), "{:.1e}")])
        header = ["model, batch 1", "Stitch us", "tf32", "XLA us", "ratio", "wall", "XLA's", "kernels", "XLA's", "host graph", "host eager", "differ by"]
        return [table(header, rows)] if rows else []

    # -- models of real size ------------------------------------------------------------------------------------------

    def floor_us(self, case):
        """What the memory alone takes for a model: what has to be read at the read ceiling, what is written at the copy's."""
        ceilings = self.ceilings()
        if not ceilings["read"]:
            return None
        return 1e6 * (case["bytes_least_in"] / ceilings["read"] + case["bytes_out"] / (ceilings["copy"] or ceilings["read"]))

    def networks_text(self):
        entries = {e["id"]: e for e in self.manifest.get("networks", [])}
        timed = {n: c for n, c in self.cases("networks", "time_networks").items() if n in entries and c.get("figures", {}).get("stitch", {}).get("device_us")}
        if not timed:
            return []
        others = [o for o in OTHERS if any(o in c["figures"] for c in timed.values())]
        own = sorted({w for c in timed.values() for w in c["figures"] if w.startswith("stitch ")})
        rows = []
        for name, case in timed.items():
            figures, right = case["figures"], case.get("right", {})
            time = {who: f.get("device_us") for who, f in figures.items()}
            ours = min(t for who, t in time.items() if who in ("stitch", TF32) and t)
            best, floor = min((time[o] for o in others if time.get(o)), default=None), self.floor_us(entries[name])
            rows.append([name, number(time["stitch"], "{:.1f}"), *[number(time.get(w), "{:.1f}") for w in own + others], number(best / ours if best else None),
                         percent(floor / ours if floor else None), figures["stitch"].get("kernels"), *[figures.get(o, {}).get("kernels") for o in others],
                         number(1e3 * time["stitch"] / entries[name]["cost_ns"]["total"]),
                         number(right.get("stitch", {}).get("relative_norm"), "{:.0e}"), number(max((v["relative_norm"] for w, v in right.items() if w in others), default=None), "{:.0e}")])
        return [table(["model", "Stitch us", *[w.removeprefix("stitch ") for w in own], *others, "best / ours", "of floor", "kernels", *[f"{o}'s" for o in others],
                       "measured / planned", "error", "others'"], rows)]

    # -- targets ------------------------------------------------------------------------------------------------------

    def targets(self):
        timed, lines = self.timed(), []

        def line(what, value, target, form="{:.2f}", below=False):
            if value is None:
                lines.append(f"not measured  {what}: target {form.format(target)}")
            else:
                met = value <= target if below else value >= target
                lines.append(f"{'met     ' if met else 'NOT MET '}  {what}: {form.format(value)}, target {form.format(target)}")

        for other, name in (("xla", "XLA"), ("torch.compile", "torch.compile")):
            line(f"kernels, geometric mean over {name}", geometric_mean([r for r in (self.ratio(f, other) for _, f in timed) if r]), TARGETS[other])
        best = [r for r in (self.best_ratio(f) for _, f in timed) if r]
        line("kernels, worst case over the best of the others", min(best) if best else None, TARGETS["worst"])
        large = [s for s in (self.bandwidth_share(c, f) for c, f in timed if c["rows"] * c["columns"] >= LARGE_ELEMENTS) if s]
        line("kernels from 4M elements, least share of the ceiling", min(large) if large else None, TARGETS["bandwidth"], "{:.0%}")
        models = [r for r in self.model_ratios().values() if r]
        line("models at batch 1, mean over XLA", sum(models) / len(models) if models else None, TARGETS["models"])
        hosts = [(c["host"], c["figures"]["stitch"].get("kernels") or 1) for c in self.cases("models", "models").values() if c.get("host")]
        line("host time of a run with its graph, us", max((h["graph_us"] for h, _ in hosts), default=None), TARGETS["graph_us"], below=True)
        line("host time of a run step by step, us a kernel", max((h["eager_us"] / k for h, k in hosts), default=None), TARGETS["eager_us"], below=True)
        return lines

    # -- all of it ----------------------------------------------------------------------------------------------------

    def heading(self):
        machine = self.results["machine"]
        lines = [f"Stitch on {machine.get('gpu') or self.results['device']}, {machine['time']}; torch {machine['torch']}, jax {machine['jax']}"]
        if not self.on_gpu:
            lines.append(f"DRY RUN: the {self.results['device']} device is no GPU. This shows that kernels and harness work; nothing is timed.")
        return lines

    def text(self, limit, everything):
        sections = [self.heading(), self.problems(limit), self.costs_text(), [self.all_kernels()] if everything else [], self.alone_text(), self.kernels_text(), self.tuning_text(),
                    self.models_text(), self.networks_text(), self.correctness(), self.targets() if self.on_gpu else []]
        verdict = {ALL_RIGHT: "ALL RIGHT", WRONG: "SOMETHING IS WRONG", INCOMPLETE: "NOTHING WRONG, BUT NOT ALL WAS DONE"}[self.status]
        return "\n\n".join("\n".join(s) for s in sections + [[verdict]] if s and any(s))


def report(results, manifest):
    """(the short text, the long one, the exit status)"""
    made = Report(results, manifest)
    return made.text(SHOWN, everything=False), made.text(1000, everything=True), made.status
