// A task over three windows: each begins with the notes, adds what it did and asks for the next; the last looks back into
// the history. It knows which window it is in only from what it reads. `read …` reads the note and says what it says.
import type { Reply, Scenario } from '../scripted-model.ts'

const note = 'progress.md'
const call = (name: string, args: Record<string, unknown>, text: string): Reply => ({
  text,
  calls: [{ name, arguments: args }],
})

const scenario: Scenario = {
  name: 'windows',
  rules: [
    {
      when: { step: 0 },
      reply: call('notes_read', { path: note }, 'I look into my notes.'),
    },
    {
      when: { user: '^read ' },
      reply: (view) => ({ text: `The note says: ${view.calls.at(-1)?.result ?? 'nothing'}` }),
    },
    {
      reply: (view) => {
        const last = view.calls.at(-1)
        const result = last?.result ?? ''
        switch (last?.name) {
          case 'notes_read':
            if (result.includes('second part done'))
              return call('history_search', { query: 'port' }, 'Both parts are done; I look for the port.')
            if (result.includes('first part done'))
              return call('notes_append', { path: note, text: 'second part done\n' }, 'The second part.')
            return call(
              'notes_write',
              { path: note, text: 'first part done\nthe server listens on port 4711\n' },
              'Nothing yet, so I do the first part.',
            )
          case 'notes_write':
          case 'notes_append':
            return call('new_context', {}, 'My notes are saved.')
          case 'history_search':
            return {
              text: result.includes('4711')
                ? 'Everything is done: the port is 4711, as the history says.'
                : `The history does not know the port: ${result}`,
            }
          default:
            return { text: `No new window came: ${result}` }
        }
      },
    },
  ],
}
export default scenario
