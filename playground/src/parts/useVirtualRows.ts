import {
  elementScroll,
  observeElementOffset,
  observeElementRect,
  Virtualizer,
  type VirtualizerOptions,
} from '@tanstack/virtual-core'
import type { RefObject } from 'preact'
import { useLayoutEffect, useMemo, useReducer } from 'preact/hooks'

/** Rows that are drawn above and below what is in sight: a short run is there whole, to be searched and read aloud. */
const BEYOND = 40
/** How high the box, and a row, are before they were measured. */
const BOX = 320
const ROW = 33
/** A reader within this many pixels of the end follows what comes. */
const NEAR = 4

type Options = Omit<VirtualizerOptions<HTMLElement, HTMLElement>, 'count'>

/**
 * Which of so many rows are drawn, and how much room the others take. Follows the end while the reader is there.
 *
 * `box` is what scrolls; in it, each drawn row has its index in `data-row`.
 */
export function useVirtualRows(box: RefObject<HTMLElement | null>, count: number) {
  const [, draw] = useReducer((times: number) => times + 1, 0)
  const { rows, options, reader, moved } = useMemo(() => makeRows(box, () => draw(undefined)), [])
  rows.setOptions({ ...options, count })

  useLayoutEffect(() => rows._didMount(), [])
  useLayoutEffect(() => {
    rows._willUpdate()
    if (moved(count) && reader.follows) rows.scrollToEnd()
  })

  const drawn = rows.getVirtualItems()
  return {
    first: drawn[0]?.index ?? 0,
    end: (drawn.at(-1)?.index ?? -1) + 1,
    above: drawn[0]?.start ?? 0,
    below: rows.getTotalSize() - (drawn.at(-1)?.end ?? 0),
    /** The browser glides there, and would stop where rows turn out to be higher than was thought. */
    onKeyDown(event: KeyboardEvent) {
      if (event.target !== box.current || event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return
      if (event.key !== 'Home' && event.key !== 'End') return
      event.preventDefault()
      reader.follows = event.key === 'End'
      if (reader.follows) rows.scrollToEnd()
      else rows.scrollToIndex(0)
    },
  }
}

function makeRows(box: RefObject<HTMLElement | null>, draw: () => void) {
  const reader = { follows: true }
  let tell: Parameters<Options['observeElementOffset']>[1] = () => {}
  const options: Options = {
    getScrollElement: () => box.current,
    estimateSize: () => ROW,
    initialRect: { width: 0, height: BOX },
    overscan: BEYOND,
    indexAttribute: 'data-row',
    onChange: draw,
    measureElement: heightOf,
    // Rows that came in the midst of measuring would be an error to the browser.
    useAnimationFrameWithResizeObserver: true,
    observeElementRect,
    observeElementOffset(rows, told) {
      tell = told
      return observeElementOffset(rows, (offset, isScrolling) => {
        // Not where this code has just been itself: below may be more by now.
        if (Math.abs(offset - (rows.scrollOffset ?? 0)) >= 1) reader.follows = fromEnd(box.current!) <= NEAR
        told(offset, isScrolling)
      })
    },
    // A browser tells of a scroll with its next picture: too late for quick steps, and never while its tab is hidden.
    scrollToFn(offset, how, rows) {
      elementScroll(offset, how, rows)
      tell(box.current!.scrollTop, rows.isScrolling)
    },
  }
  const rows = new Virtualizer<HTMLElement, HTMLElement>({ ...options, count: 0 })
  // Rows lie in the flow of the page: one that grows above what is read would push it down, whichever way one scrolls.
  rows.shouldAdjustScrollPositionOnItemSizeChange = (row) => row.end <= (rows.scrollOffset ?? 0)

  let laid = ''
  /** Whether the end is another than when this was asked last; a text that the reader unfolds is no reason to leave. */
  function moved(count: number) {
    const before = laid
    laid = `${count} ${box.current!.clientWidth} ${box.current!.querySelector('th')!.offsetHeight}`
    return measureDrawn(box.current!, rows) || laid !== before
  }
  return { rows, options, reader, moved }
}

const fromEnd = (box: HTMLElement) => box.scrollHeight - box.clientHeight - box.scrollTop

/** To a fraction of a pixel: rounded heights would not add up to what is in the page. */
const heightOf = (row: HTMLElement) => row.getBoundingClientRect().height

/** Whether one of the drawn rows was not known to be this high. */
function measureDrawn(box: HTMLElement, rows: Virtualizer<HTMLElement, HTMLElement>) {
  const before = rows.getTotalSize()
  // From the last to the first: a row that grows moves only rows that were looked at already.
  for (const row of [...box.querySelectorAll<HTMLElement>('[data-row]')].reverse()) {
    rows.measureElement(row)
    rows.resizeItem(rows.indexFromElement(row), heightOf(row))
  }
  return rows.getTotalSize() !== before
}
