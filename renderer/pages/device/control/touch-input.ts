import { mouseButton } from '../../../../shared/remote-control/values.ts'
import type { ControlSession } from './control-session.ts'
import { positionSender, wheelSum } from './pointer-input.ts'
import { shareOf } from './placement.ts'

interface TouchOptions {
  session: ControlSession
  surface: HTMLElement
  /** What scrolls the picture when it is larger than the page. */
  stage: HTMLElement
  onZoom: (factor: number, at: { x: number; y: number }) => void
}

interface Point {
  x: number
  y: number
}

const longPressMs = 500
/** A finger that moves less stays where it is. */
const slackPixels = 10
/** Two fingers whose distance changes by so much zoom; others scroll. */
const pinchFactor = 1.06

const pointOf = ({ clientX: x, clientY: y }: Touch): Point => ({ x, y })
const distance = (a: Point, b: Point) => Math.hypot(a.x - b.x, a.y - b.y)
const middle = (a: Point, b: Point): Point => ({ x: (a.x + b.x) / 2, y: (a.y + b.y) / 2 })

/**
 * Fingers on the picture: a tap clicks, a long press is the right button and drags when it goes on, one finger moves the
 * pointer or the part that is seen, two scroll or zoom.
 */
export function listenToTouch({ session, surface, stage, onZoom }: TouchOptions): () => void {
  const stopping = new AbortController()
  const addUp = wheelSum()
  let phase: 'none' | 'tap' | 'held' | 'drag' | 'move' | 'two' = 'none'
  let start: Point = { x: 0, y: 0 }
  let last: Point = start
  let apart = 0
  let isPinch = false
  let timer: ReturnType<typeof setTimeout> | undefined

  const shareAt = (point: Point) => shareOf(point, surface.getBoundingClientRect())
  const sender = positionSender((payload) => session.act({ name: 'MovePointer', payload }))
  const click = (button: 0 | 2) =>
    session.act({ name: 'MouseClick', payload: { button, isDoubleClick: false, ...shareAt(start) } })
  const setLeft = (isPressed: boolean, at: Point) =>
    session.act({ name: 'MouseButtonEvent', payload: { button: mouseButton.Left, isPressed, ...shareAt(at) } })
  const isScrollable = () => stage.scrollWidth > stage.clientWidth + 1 || stage.scrollHeight > stage.clientHeight + 1

  const begin = (touches: TouchList) => {
    clearTimeout(timer)
    const [first, second] = [touches[0], touches[1]].map((touch) => touch && pointOf(touch))
    if (phase === 'drag') {
      setLeft(false, last)
    }
    if (first && second) {
      phase = 'two'
      isPinch = false
      apart = distance(first, second)
      last = middle(first, second)
    } else if (first) {
      phase = 'tap'
      start = last = first
      timer = setTimeout(() => {
        phase = 'held'
        navigator.vibrate?.(10)
      }, longPressMs)
    }
  }

  const moveOne = (point: Point) => {
    const hasMoved = distance(start, point) > slackPixels
    if (phase === 'tap' && hasMoved) {
      clearTimeout(timer)
      phase = 'move'
    } else if (phase === 'held' && hasMoved) {
      phase = 'drag'
      setLeft(true, start)
    }
    if (phase === 'drag' || (phase === 'move' && !isScrollable())) {
      sender.move(shareAt(point))
    } else if (phase === 'move') {
      stage.scrollBy(last.x - point.x, last.y - point.y)
    }
    last = point
  }

  const moveTwo = (first: Point, second: Point) => {
    const center = middle(first, second)
    const factor = distance(first, second) / Math.max(1, apart)
    isPinch ||= Math.max(factor, 1 / factor) > pinchFactor
    if (isPinch) {
      onZoom(factor, center)
      apart = distance(first, second)
      stage.scrollBy(last.x - center.x, last.y - center.y)
    } else {
      const { x, y } = addUp(center.x - last.x, center.y - last.y)
      if (x !== 0 || y !== 0) {
        session.act({ name: 'WheelScroll', payload: { ...shareAt(center), scrollX: x, scrollY: y } })
      }
    }
    last = center
  }

  const end = (isCancelled: boolean) => {
    clearTimeout(timer)
    if (phase === 'drag') {
      sender.stop()
      setLeft(false, last)
    } else if (phase === 'tap' && !isCancelled) {
      click(mouseButton.Left)
    } else if (phase === 'held' && !isCancelled) {
      click(mouseButton.Right)
    }
    phase = 'none'
  }

  const listen = (name: 'touchstart' | 'touchmove' | 'touchend' | 'touchcancel', handle: (event: TouchEvent) => void) =>
    surface.addEventListener(
      name,
      (event) => {
        // The mouse events that browsers make of touches would click once more.
        event.preventDefault()
        handle(event)
      },
      { signal: stopping.signal, passive: false },
    )
  listen('touchstart', ({ touches }) => begin(touches))
  listen('touchmove', ({ touches }) => {
    const [first, second] = [touches[0], touches[1]]
    if (phase === 'two' && first && second) {
      moveTwo(pointOf(first), pointOf(second))
    } else if (phase !== 'two' && first) {
      moveOne(pointOf(first))
    }
  })
  listen('touchend', ({ touches }) => touches.length === 0 && end(false))
  listen('touchcancel', () => end(true))

  return () => {
    end(true)
    sender.stop()
    stopping.abort()
  }
}
