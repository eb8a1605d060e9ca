//===- progress.h - progress of a tool on a terminal ----------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_TOOLS_SUPPORT_PROGRESS_H
#define STITCH_TOOLS_SUPPORT_PROGRESS_H

/// Stages of a tool. If standard error is a terminal, a stage that takes longer than a second shows there with
/// its name, and with its time when it ends. A pipe or file sees nothing.
typedef struct ToolProgress ToolProgress;

/// NULL without memory or threads: then nothing is shown.
ToolProgress *toolProgressCreate(const char *tool);

/// Begins a stage; `name` must live until it ends. Ends the one before it.
void toolProgressBegin(ToolProgress *progress, const char *name);

/// Ends the current stage, if there is one.
void toolProgressEnd(ToolProgress *progress);

void toolProgressDestroy(ToolProgress *progress);

#endif // STITCH_TOOLS_SUPPORT_PROGRESS_H
