import type { Item } from '../../../protocol/item.ts'

const line = (text: string): string => text.replace(/\s+/g, ' ').trim().slice(0, 200)

/** The beginning of what an item says, on one line. */
export function itemWords(item: Item): string {
  switch (item.type) {
    case 'user_message':
      return line(
        item.content.map((part) => (part.type === 'text' ? part.text : (part.name ?? part.type))).join(' '),
      )
    case 'agent_message':
    case 'reasoning':
      return line(item.text.text)
    case 'tool_call':
      return line(`${item.tool} ${item.arguments.text}`)
    case 'plan':
      return line(item.entries.map((entry) => entry.text).join(', '))
    case 'question':
      return line(item.questions.map((question) => question.text).join(' '))
    case 'notice':
      return line(item.text)
    case 'hand_over':
      return item.reason
  }
}
