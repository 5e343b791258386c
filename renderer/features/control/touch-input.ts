import { mouseButton } from '../../../shared/remote-control/values.ts'
import type { ControlSession } from './control-session.ts'
import { positionSender, wheelSum } from './pointer-input.ts'
import { shareOf, type Point } from './placement.ts'

interface TouchOptions {
  session: ControlSession
  surface: HTMLElement
  /** What scrolls the picture when it is larger than the page. */
  stage: HTMLElement
  /** Called for a tap, so that a keyboard that is plugged in types where the finger was. */
  onPress: () => void
  /** Larger or smaller, with what was under `from` under `to` afterwards. */
  onZoom: (factor: number, from: Point, to: Point) => void
}

const longPressMs = 500
const secondTapMs = 500
/** A finger that moves less stays where it is. */
const slackPixels = 10
/** Nobody hits the same place twice. */
const secondTapPixels = 30

const pointOf = ({ clientX: x, clientY: y }: Touch): Point => ({ x, y })
const distance = (a: Point, b: Point) => Math.hypot(a.x - b.x, a.y - b.y)
const middle = (a: Point, b: Point): Point => ({ x: (a.x + b.x) / 2, y: (a.y + b.y) / 2 })

/**
 * Taps on the picture. The device is told of one when no second one has come in time or when anything else is done; the
 * pointer is there at once.
 */
function tapSender(session: ControlSession) {
  let first: { at: Point; share: ReturnType<typeof shareOf> } | undefined
  let timer: ReturnType<typeof setTimeout> | undefined
  const click = (isDoubleClick: boolean) => {
    clearTimeout(timer)
    if (first) {
      session.act({ name: 'MouseClick', payload: { button: mouseButton.Left, isDoubleClick, ...first.share } })
      first = undefined
    }
  }
  return {
    /** A finger came down: it may be the second tap. */
    wait(at: Point) {
      clearTimeout(timer)
      if (first && distance(first.at, at) > secondTapPixels) {
        click(false)
      }
    },
    tap(at: Point, share: ReturnType<typeof shareOf>) {
      if (first) {
        click(true)
        return
      }
      first = { at, share }
      session.act({ name: 'MovePointer', payload: share })
      timer = setTimeout(() => click(false), secondTapMs)
    },
    /** Something else follows: the tap comes before it. */
    settle: () => click(false),
  }
}

/**
 * Fingers on the picture: a tap clicks, a long press is the right button and drags when it goes on, one finger moves the
 * pointer or the part that is seen, two scroll or zoom.
 */
export function listenToTouch({ session, surface, stage, onPress, onZoom }: TouchOptions): () => void {
  const stopping = new AbortController()
  const { signal } = stopping
  const addUp = wheelSum()
  const taps = tapSender(session)
  let phase: 'none' | 'tap' | 'held' | 'drag' | 'move' | 'two' | 'scroll' | 'pinch' = 'none'
  let start: Point = { x: 0, y: 0 }
  let last: Point = start
  let apart = 0
  let timer: ReturnType<typeof setTimeout> | undefined

  const shareAt = (point: Point) => shareOf(point, surface.getBoundingClientRect(), window.devicePixelRatio)
  const sender = positionSender((payload) => session.act({ name: 'MovePointer', payload }))
  const setLeft = (isPressed: boolean, at: Point) => {
    sender.forget()
    session.act({ name: 'MouseButtonEvent', payload: { button: mouseButton.Left, isPressed, ...shareAt(at) } })
  }
  const isScrollable = () => stage.scrollWidth > stage.clientWidth + 1 || stage.scrollHeight > stage.clientHeight + 1

  const begin = (touches: TouchList) => {
    clearTimeout(timer)
    const [first, second] = [touches[0], touches[1]].map((touch) => touch && pointOf(touch))
    if (phase === 'drag') {
      setLeft(false, last)
    }
    if (first && second) {
      taps.settle()
      phase = 'two'
      apart = distance(first, second)
      start = last = middle(first, second)
    } else if (first) {
      taps.wait(first)
      phase = 'tap'
      start = last = first
      timer = setTimeout(() => {
        taps.settle()
        phase = 'held'
        navigator.vibrate?.(10)
      }, longPressMs)
    }
  }

  const moveOne = (point: Point) => {
    const hasMoved = distance(start, point) > slackPixels
    if (phase === 'tap' && hasMoved) {
      clearTimeout(timer)
      taps.settle()
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
    const now = distance(first, second)
    if (phase === 'two') {
      // What they do first is what they do until they are lifted: fingers that scroll never keep their distance.
      phase = Math.abs(now - apart) > slackPixels ? 'pinch' : distance(start, center) > slackPixels ? 'scroll' : 'two'
    }
    if (phase === 'pinch') {
      onZoom(now / Math.max(1, apart), last, center)
      apart = now
    } else if (phase === 'scroll') {
      const { x, y } = addUp(center.x - last.x, center.y - last.y)
      if (x !== 0 || y !== 0) {
        session.act({ name: 'WheelScroll', payload: { ...shareAt(center), scrollX: x, scrollY: y } })
      }
    }
    if (phase !== 'two') {
      last = center
    }
  }

  const end = (isCancelled: boolean) => {
    clearTimeout(timer)
    if (phase === 'drag') {
      setLeft(false, last)
    } else if (phase === 'tap' && !isCancelled) {
      onPress()
      taps.tap(start, shareAt(start))
    } else if (phase === 'held' && !isCancelled) {
      onPress()
      session.act({
        name: 'MouseClick',
        payload: { button: mouseButton.Right, isDoubleClick: false, ...shareAt(start) },
      })
    } else {
      taps.settle()
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
      { signal, passive: false },
    )
  // Only fingers on the picture: another one may lie on the tools.
  listen('touchstart', ({ targetTouches }) => begin(targetTouches))
  listen('touchmove', ({ targetTouches }) => {
    const [first, second] = [targetTouches[0], targetTouches[1]]
    if (['two', 'scroll', 'pinch'].includes(phase)) {
      if (first && second) {
        moveTwo(pointOf(first), pointOf(second))
      }
    } else if (first) {
      moveOne(pointOf(first))
    }
  })
  listen('touchend', ({ targetTouches }) => targetTouches.length === 0 && end(false))
  listen('touchcancel', () => end(true))
  // What is typed after a tap, or pressed in the tools, comes after it at the device as well.
  for (const name of ['keydown', 'beforeinput', 'mousedown'] as const) {
    window.addEventListener(name, taps.settle, { capture: true, signal })
  }

  return () => {
    end(true)
    sender.stop()
    stopping.abort()
  }
}
