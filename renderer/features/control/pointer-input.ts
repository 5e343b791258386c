import { mouseButton, type MouseButton } from '../../../shared/remote-control/values.ts'
import type { ControlSession } from './control-session.ts'
import { shareOf, type Point } from './placement.ts'

interface PointerOptions {
  session: ControlSession
  /** Canvas of the picture. */
  surface: HTMLElement
  /** Called on a press, to move the keyboard focus to the picture. */
  onPress: () => void
  /** Called for Ctrl+wheel, to zoom around a point of the page. */
  onZoom: (factor: number, from: Point, to: Point) => void
}

const moveEveryMs = 25
const lineHeight = 16
const pageHeight = 600
const zoomPerPixel = 1.0015

const isButton = (button: number): button is MouseButton =>
  (Object.values(mouseButton) as readonly number[]).includes(button)

/** Throttles positions to one per 25 ms; the last one is always sent. */
export function positionSender(send: (position: { normalizedX: number; normalizedY: number }) => void) {
  let timer: ReturnType<typeof setTimeout> | undefined
  let next: { normalizedX: number; normalizedY: number } | undefined
  const later = () => {
    timer = undefined
    if (next) {
      send(next)
      next = undefined
      timer = setTimeout(later, moveEveryMs)
    }
  }
  return {
    move(position: { normalizedX: number; normalizedY: number }) {
      next = position
      if (timer === undefined) {
        later()
      }
    },
    /** Drops the queued position: the next message has its own. */
    forget() {
      next = undefined
    },
    stop() {
      clearTimeout(timer)
      timer = next = undefined
    },
  }
}

/** Accumulates wheel deltas: browsers report fractions of pixels, devices take whole ones. */
export function wheelSum() {
  const rest = { x: 0, y: 0 }
  return (x: number, y: number) => {
    rest.x += x
    rest.y += y
    const whole = { x: Math.trunc(rest.x), y: Math.trunc(rest.y) }
    rest.x -= whole.x
    rest.y -= whole.y
    return whole
  }
}

/**
 * Sends mouse input over the picture to the device. Returns a function that releases all buttons and stops listening.
 */
export function listenToMouse({ session, surface, onPress, onZoom }: PointerOptions): () => void {
  const held = new Set<MouseButton>()
  const addUp = wheelSum()
  const stopping = new AbortController()
  const { signal } = stopping
  /** Position of the last pointer event, which has fractions of CSS pixels; mouse events have whole ones. */
  let exact = { x: 0, y: 0 }
  const positionOf = ({ clientX, clientY }: MouseEvent) => {
    const isSame = Math.floor(exact.x) === clientX && Math.floor(exact.y) === clientY
    const point = isSame ? exact : { x: clientX, y: clientY }
    return shareOf(point, surface.getBoundingClientRect(), window.devicePixelRatio)
  }
  const sender = positionSender((payload) => session.act({ name: 'MovePointer', payload }))
  let last = { normalizedX: 0.5, normalizedY: 0.5 }

  const setButton = (button: MouseButton, isPressed: boolean) => {
    sender.forget()
    session.act({ name: 'MouseButtonEvent', payload: { button, isPressed, ...last } })
  }
  const releaseAll = () => {
    held.forEach((button) => setButton(button, false))
    held.clear()
  }

  for (const name of ['pointerdown', 'pointermove', 'pointerup'] as const) {
    window.addEventListener(name, ({ clientX: x, clientY: y }) => (exact = { x, y }), { capture: true, signal })
  }
  surface.addEventListener(
    'mousedown',
    (event) => {
      event.preventDefault()
      onPress()
      if (isButton(event.button)) {
        last = positionOf(event)
        held.add(event.button)
        setButton(event.button, true)
      }
    },
    { signal },
  )
  // A button pressed here can be released anywhere.
  window.addEventListener(
    'mouseup',
    (event) => {
      if (isButton(event.button) && held.delete(event.button)) {
        event.preventDefault()
        last = positionOf(event)
        setButton(event.button, false)
      }
    },
    { signal },
  )
  window.addEventListener(
    'mousemove',
    (event) => {
      if (event.target === surface || held.size > 0) {
        last = positionOf(event)
        sender.move(last)
      }
    },
    { signal },
  )
  surface.addEventListener(
    'wheel',
    (event) => {
      event.preventDefault()
      const unit = [1, lineHeight, pageHeight][event.deltaMode] ?? 1
      if (event.ctrlKey) {
        const at = { x: event.clientX, y: event.clientY }
        onZoom(zoomPerPixel ** (-event.deltaY * unit), at, at)
        return
      }
      last = positionOf(event)
      const { x, y } = addUp(-event.deltaX * unit, -event.deltaY * unit)
      if (x !== 0 || y !== 0) {
        session.act({ name: 'WheelScroll', payload: { ...last, scrollX: x, scrollY: y } })
      }
    },
    { signal, passive: false },
  )
  // Suppresses the browser's back and forward buttons and its menu.
  surface.addEventListener('auxclick', (event) => event.preventDefault(), { signal })
  surface.addEventListener('contextmenu', (event) => event.preventDefault(), { signal })
  window.addEventListener('blur', releaseAll, { signal })

  return () => {
    releaseAll()
    sender.stop()
    stopping.abort()
  }
}
