import { mouseButton } from '../../../shared/remote-control/values.ts'
import type { ControlSession } from './control-session.ts'
import { positionSender, wheelSum } from './pointer-input.ts'
import { shareOf, type Point } from './placement.ts'

interface TouchOptions {
  session: ControlSession
  surface: HTMLElement
  /** Scroll container of the picture. */
  stage: HTMLElement
  /** Called for a tap, to move the keyboard focus to the picture. */
  onPress: () => void
  /** Called for a pinch: zooms so that the point under `from` moves to `to`. */
  onZoom: (factor: number, from: Point, to: Point) => void
}

const longPressMs = 500
const secondTapMs = 500
/** Movements below this count as holding still. */
const slackPixels = 10
/** Tolerance between the taps of a double tap. */
const secondTapPixels = 30

const pointOf = ({ clientX: x, clientY: y }: Touch): Point => ({ x, y })
const distance = (a: Point, b: Point) => Math.hypot(a.x - b.x, a.y - b.y)
const middle = (a: Point, b: Point): Point => ({ x: (a.x + b.x) / 2, y: (a.y + b.y) / 2 })

/**
 * Sends taps. A click is sent when no second tap follows in time or other input comes first; the pointer moves at once.
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
    /** Called when a finger touches down, possibly for a second tap. */
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
    /** Sends a pending tap before other input. */
    settle: () => click(false),
  }
}

const pointsOf = (touches: TouchList) => Array.from(touches).slice(0, 2).map(pointOf)

/**
 * Scrolls or zooms with two fingers. The gesture is fixed until the fingers are lifted, since scrolling fingers change
 * their distance too.
 */
function createTwoFingers({ session, onZoom }: TouchOptions, shareAt: (point: Point) => ReturnType<typeof shareOf>) {
  const addUp = wheelSum()
  let gesture: 'none' | 'scroll' | 'pinch' = 'none'
  let start: Point = { x: 0, y: 0 }
  let last: Point = start
  let apart = 0
  return {
    begin(first: Point, second: Point) {
      gesture = 'none'
      apart = distance(first, second)
      start = last = middle(first, second)
    },
    move(first: Point, second: Point) {
      const center = middle(first, second)
      const now = distance(first, second)
      if (gesture === 'none') {
        gesture =
          Math.abs(now - apart) > slackPixels ? 'pinch' : distance(start, center) > slackPixels ? 'scroll' : 'none'
      }
      if (gesture === 'pinch') {
        onZoom(now / Math.max(1, apart), last, center)
        apart = now
      } else if (gesture === 'scroll') {
        const { x, y } = addUp(center.x - last.x, center.y - last.y)
        if (x !== 0 || y !== 0) {
          session.act({ name: 'WheelScroll', payload: { ...shareAt(center), scrollX: x, scrollY: y } })
        }
      }
      if (gesture !== 'none') {
        last = center
      }
    },
  }
}

/** Converts touch positions to messages. */
function createGestures(options: TouchOptions) {
  const { session, surface, stage, onPress } = options
  const taps = tapSender(session)
  let phase: 'none' | 'tap' | 'held' | 'drag' | 'move' | 'two' = 'none'
  let start: Point = { x: 0, y: 0 }
  let last: Point = start
  let timer: ReturnType<typeof setTimeout> | undefined

  const shareAt = (point: Point) => shareOf(point, surface.getBoundingClientRect(), window.devicePixelRatio)
  const twoFingers = createTwoFingers(options, shareAt)
  const sender = positionSender((payload) => session.act({ name: 'MovePointer', payload }))
  const setLeft = (isPressed: boolean, at: Point) => {
    sender.forget()
    session.act({ name: 'MouseButtonEvent', payload: { button: mouseButton.Left, isPressed, ...shareAt(at) } })
  }
  const isScrollable = () => stage.scrollWidth > stage.clientWidth + 1 || stage.scrollHeight > stage.clientHeight + 1

  const begin = ([first, second]: readonly Point[]) => {
    clearTimeout(timer)
    if (phase === 'drag') {
      setLeft(false, last)
    }
    if (first && second) {
      taps.settle()
      phase = 'two'
      twoFingers.begin(first, second)
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

  const move = ([first, second]: readonly Point[]) => {
    if (phase === 'two') {
      if (first && second) {
        twoFingers.move(first, second)
      }
    } else if (first) {
      moveOne(first)
    }
  }
  return { begin, move, end, settle: taps.settle, stop: sender.stop }
}

/**
 * Sends touch input of the picture: a tap clicks, a long press is a right click, a long press with a move drags, one
 * finger moves the pointer or scrolls, two fingers scroll or zoom.
 */
export function listenToTouch(options: TouchOptions): () => void {
  const { surface } = options
  const stopping = new AbortController()
  const { signal } = stopping
  const gestures = createGestures(options)
  const listen = (name: 'touchstart' | 'touchmove' | 'touchend' | 'touchcancel', handle: (event: TouchEvent) => void) =>
    surface.addEventListener(
      name,
      (event) => {
        // Otherwise browsers also generate mouse events, a second click.
        event.preventDefault()
        handle(event)
      },
      { signal, passive: false },
    )
  // `targetTouches`: fingers on the toolbar do not count.
  listen('touchstart', ({ targetTouches }) => gestures.begin(pointsOf(targetTouches)))
  listen('touchmove', ({ targetTouches }) => gestures.move(pointsOf(targetTouches)))
  listen('touchend', ({ targetTouches }) => targetTouches.length === 0 && gestures.end(false))
  listen('touchcancel', () => gestures.end(true))
  // A pending tap is sent before the keys and clicks that follow it.
  for (const name of ['keydown', 'beforeinput', 'mousedown'] as const) {
    window.addEventListener(name, gestures.settle, { capture: true, signal })
  }

  return () => {
    gestures.end(true)
    gestures.stop()
    stopping.abort()
  }
}
