// How high the rows of a long list are, where only those in sight are ever drawn and measured.

/** Rows that were not measured yet count as this high, in pixels. */
const GUESS = 33

export interface Heights {
  /** Have this many rows; new ones are not measured yet. */
  grow(rows: number): void
  measure(row: number, height: number): void
  /** How far down this row begins; of one behind the last, how high all are together. */
  top(row: number): number
  /** The row at this distance from the top. */
  rowAt(distance: number): number
  forget(): void
}

/**
 * Sums over a tree: each step costs the logarithm of the rows, however many there are.
 *
 * The tree holds what rows differ from the guess, so that a row that was not measured costs nothing.
 */
export function makeHeights(): Heights {
  let count = 0
  let size = 1024
  let own = new Float64Array(size)
  let tree = new Float64Array(size + 1)

  function add(row: number, difference: number) {
    for (let at = row + 1; at <= size; at += at & -at) tree[at]! += difference
  }

  function widen() {
    const before = own
    size *= 2
    own = new Float64Array(size)
    tree = new Float64Array(size + 1)
    for (const [row, height] of before.entries()) {
      own[row] = height
      if (height) add(row, height - GUESS)
    }
  }

  return {
    grow(rows) {
      count = rows
      while (size < rows) widen()
    },
    measure(row, height) {
      add(row, height - (own[row] || GUESS))
      own[row] = height
    },
    top(row) {
      let sum = row * GUESS
      for (let at = row; at > 0; at -= at & -at) sum += tree[at]!
      return sum
    },
    rowAt(distance) {
      let row = 0
      let left = distance
      for (let step = size; step > 0; step >>= 1) {
        const height = step * GUESS + (tree[row + step] ?? Number.POSITIVE_INFINITY)
        if (row + step > size || height > left) continue
        row += step
        left -= height
      }
      return Math.max(0, Math.min(row, count - 1))
    },
    forget() {
      own.fill(0)
      tree.fill(0)
    },
  }
}
