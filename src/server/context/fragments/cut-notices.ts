/** What stands in place of what the strategy `layers` took out. */

/** In place of an old result. `chars`: its length, when it is known. */
export const cutResult = (itemId: string, beginning: string, chars: number | null): string =>
  `(cut to make room${chars === null ? '' : `; it had ${chars} characters`}: history_read_item ${itemId} gives all of it)${
    beginning === '' ? '' : `\n${beginning}…`
  }`

/** After a cut of calls, at the end of what is kept. */
export const cutNotice = (level: 'middle' | 'latest', blocks: number, windowId: string): string =>
  level === 'middle'
    ? `<cut>\n${blocks} parts of the conversation's middle (calls and their results) were taken out to make room. They are in the history, under window ${windowId}.\n</cut>`
    : `<cut>\nAll but the instructions and the latest messages was taken out to make room: ${blocks} parts. They are in the history, under window ${windowId}: history_search finds words in them. Go on from where you were.\n</cut>`
