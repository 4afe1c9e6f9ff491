/** What a person has begun to write, per thread, kept in the browser until it is sent. */
const key = (place: string): string => `baton.draft.${place}`

export function readDraft(place: string): string {
  try {
    return localStorage.getItem(key(place)) ?? ''
  } catch {
    return ''
  }
}

export function saveDraft(place: string, text: string): void {
  try {
    if (text === '') localStorage.removeItem(key(place))
    else localStorage.setItem(key(place), text)
  } catch {
    // Without storage a draft lives as long as the page.
  }
}
