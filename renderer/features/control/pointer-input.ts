import { mouseButton, type MouseButton } from '../../../shared/remote-control/values.ts'
import type { ControlSession } from './control-session.ts'
import { shareOf, type Point } from './placement.ts'

interface PointerOptions {
  session: ControlSession
  /** The element that the picture is drawn on. */
  surface: HTMLElement
  /** Called before the first press, so that the keyboard is where the pointer is. */
  onPress: () => void
  /** Ctrl and the wheel: larger or smaller around a point of the page. */
  onZoom: (factor: number, from: Point, to: Point) => void
}

const moveEveryMs = 25
const lineHeight = 16
const pageHeight = 600
const zoomPerPixel = 1.0015

const isButton = (button: number): button is MouseButton =>
  (Object.values(mouseButton) as readonly number[]).includes(button)

/** Sends at most one position in so many milliseconds, and always the last one. */
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
    /** What comes next says where the pointer is. */
    forget() {
      next = undefined
    },
    stop() {
      clearTimeout(timer)
      timer = next = undefined
    },
  }
}

/** Wheels tell of parts of pixels, and devices take whole ones. */
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

/** What the mouse does over the picture is done at the device. Returns the function that lets go of all buttons. */
export function listenToMouse({ session, surface, onPress, onZoom }: PointerOptions): () => void {
  const held = new Set<MouseButton>()
  const addUp = wheelSum()
  const stopping = new AbortController()
  const { signal } = stopping
  /** Pointer events know of parts of CSS pixels, which are pixels on dense screens; the mouse events that follow them do not. */
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
  // A button that went down here comes up wherever the pointer is by then.
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
  // The back and forward buttons, and the menu of the browser.
  surface.addEventListener('auxclick', (event) => event.preventDefault(), { signal })
  surface.addEventListener('contextmenu', (event) => event.preventDefault(), { signal })
  window.addEventListener('blur', releaseAll, { signal })

  return () => {
    releaseAll()
    sender.stop()
    stopping.abort()
  }
}
