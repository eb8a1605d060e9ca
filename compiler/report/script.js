'use strict';
const all = (selector, root = document) => [...root.querySelectorAll(selector)];

// The box that a link goes to opens.
const openTarget = () => {
  const target = location.hash && document.getElementById(location.hash.slice(1));
  if (target && target.tagName === 'DETAILS') {
    target.open = true;
    target.scrollIntoView();
  }
};
addEventListener('hashchange', openTarget);
openTarget();

all('button[data-open]').forEach(button => button.onclick = () =>
  all('details.kernel').forEach(kernel => kernel.open = button.dataset.open === '1'));

// Where a value comes from and where it goes.
const unmark = kernel => all('.from,.to', kernel).forEach(row => row.classList.remove('from', 'to'));
const mark = row => {
  const kernel = row.closest('details.kernel');
  unmark(kernel);
  const from = row.dataset.in.split(' ');
  all('tr[data-n]', kernel).forEach(other => {
    if (from.includes(other.dataset.n)) other.classList.add('from');
    if (other.dataset.in.split(' ').includes(row.dataset.n)) other.classList.add('to');
  });
};
all('.groups').forEach(groups => {
  groups.addEventListener('mouseover', event => {
    const row = event.target.closest('tr[data-n]');
    if (row) mark(row);
  });
  groups.addEventListener('mouseleave', () => unmark(groups.closest('details.kernel')));
});

// What a kernel or call reads and who reads what it makes.
all('.flow g[data-r]').forEach(step => {
  const paths = all(`path[data-a="${step.dataset.r}"],path[data-b="${step.dataset.r}"]`, step.closest('svg'));
  step.onmouseenter = () => paths.forEach(path => path.classList.add('lit'));
  step.onmouseleave = () => paths.forEach(path => path.classList.remove('lit'));
});

// From the picture to the rows.
all('svg g[data-g]').forEach(box => box.onclick = () => {
  const kernel = box.closest('details.kernel');
  all('.lit', kernel).forEach(element => element.classList.remove('lit'));
  const group = kernel.querySelector(`.group[data-g="${box.dataset.g}"]`);
  const row = box.dataset.n && group.querySelector(`tr[data-n="${box.dataset.n}"]`);
  (row || group).classList.add('lit');
  (row || group).scrollIntoView({behavior: 'smooth', block: 'center'});
});

// Kernels that have the operation; its rows stand out.
document.querySelector('.tools input').oninput = event => {
  const wanted = event.target.value.trim().toLowerCase();
  all('details.kernel').forEach(kernel => {
    let found = !wanted;
    all('tr[data-n]', kernel).forEach(row => {
      const hit = wanted !== '' && row.textContent.toLowerCase().includes(wanted);
      row.classList.toggle('found', hit);
      found = found || hit;
    });
    kernel.hidden = !found;
  });
};

// Why two operations are, or are not, in one kernel: one click picks an operation, the next one asks about both.
let picked = null;
const stepOf = row => row.id || row.closest('details.kernel').id;
const nameOf = row => `${row.children[row.id ? 2 : 1].textContent.trim()} (${stepOf(row)})`;
const reasonOf = (a, b) => {
  const number = apart[`${a} ${b}`] ?? apart[`${b} ${a}`];
  return number === undefined ? '' : `: ${reasons[number]}`;
};
const explain = (a, b) => {
  const [one, other] = [stepOf(a), stepOf(b)];
  const said = one === other ? `are in one kernel, ${one}` : `are in different kernels${reasonOf(one, other)}`;
  const [from, to] = [a.dataset.at, b.dataset.at].map(at => at && (/[ ,]/.test(at) ? `"${at}"` : at));
  const asks = from && to && from !== to ? ` What the model costs both ways: stitch-compile ${document.querySelector('h1').textContent} --explain='${from} ${to}'` : '';
  return `${nameOf(a)} and ${nameOf(b)} ${said}.${asks}`;
};
all('tr[data-n],.calls tr[id]').forEach(row => row.onclick = () => {
  const why = document.getElementById('why'), first = picked;
  all('.picked').forEach(other => other.classList.remove('picked'));
  picked = first && first !== row ? null : row === first ? null : row;
  row.classList.toggle('picked', row !== first);
  if (first && first !== row) first.classList.add('picked');
  why.textContent = row === first ? '' : first ? explain(first, row) : `${nameOf(row)}: click another operation to see why both are, or are not, in one kernel.`;
  why.hidden = row === first;
});
