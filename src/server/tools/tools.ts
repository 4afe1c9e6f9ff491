/** The tools of a thread, in the order in which models see them. */

import { applyPatchTool } from './apply-patch.ts'
import { execCommand } from './exec-command.ts'
import { getContextRemaining } from './get-context-remaining.ts'
import { historyListItems } from './history-list-items.ts'
import { historyListWindows } from './history-list-windows.ts'
import { historyReadItem } from './history-read-item.ts'
import { historySearch } from './history-search.ts'
import { listDir } from './list-dir.ts'
import { newContext } from './new-context.ts'
import { notesAppend } from './notes-append.ts'
import { notesList } from './notes-list.ts'
import { notesRead } from './notes-read.ts'
import { notesSearch } from './notes-search.ts'
import { notesWrite } from './notes-write.ts'
import { readFileTool } from './read-file.ts'
import { toolSet } from './registry.ts'
import { requestUserInput } from './request-user-input.ts'
import { searchFiles } from './search-files.ts'
import type { ToolSet } from './types.ts'
import { updatePlan } from './update-plan.ts'
import { writeStdin } from './write-stdin.ts'

/** One frozen set for the whole process: every window is given the same bytes. */
export const standardTools: ToolSet = toolSet([
  execCommand,
  writeStdin,
  applyPatchTool,
  readFileTool,
  listDir,
  searchFiles,
  updatePlan,
  requestUserInput,
  newContext,
  getContextRemaining,
  notesList,
  notesRead,
  notesSearch,
  notesAppend,
  notesWrite,
  historyListWindows,
  historyListItems,
  historyReadItem,
  historySearch,
])
