// Cuts text into deltas without splitting a character.

export function pieces(value: string, size: number): string[] {
  const characters = Array.from(value)
  const cut: string[] = []
  for (let at = 0; at < characters.length; at += size) cut.push(characters.slice(at, at + size).join(''))
  return cut
}
