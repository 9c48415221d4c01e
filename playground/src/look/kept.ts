// What a reader pressed for the look of the page, kept for this tab: who reloads in front of a class has it as it was. It
// is kept no longer, for the next visit is to another room.

export interface Kept {
  /** What was kept, or null; also where nothing can be kept. */
  read(): string | null
  /** Keep this, or nothing. */
  keep(value: string | null): void
}

export function makeKept(name: string, storage: () => Storage): Kept {
  const place = `mingraph-lite ${name}`
  return {
    read() {
      try {
        return storage().getItem(place)
      } catch {
        return null // no storage here
      }
    },
    keep(value) {
      try {
        if (value === null) storage().removeItem(place)
        else storage().setItem(place, value)
      } catch {
        // It lasts as long as the page.
      }
    },
  }
}
