/** How long it will still be, in words, reckoned by how long it took the last time. Both are in milliseconds. */
export function countdown(expected: number, passed: number): string {
  const seconds = Math.round((expected - passed) / 1000)
  return seconds > 0 ? `about ${seconds} s` : 'any moment now'
}
