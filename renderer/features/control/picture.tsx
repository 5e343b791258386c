import { useCallback, useEffect, useEffectEvent, useLayoutEffect, useRef, useState, type RefObject } from 'react'
import { flushSync } from 'react-dom'
import * as t from '../../texts.ts'
import type { ControlSession } from './control-session.ts'
import type { ControlState } from './control-state.ts'
import { cursorOf } from './cursor.ts'
import { canAct } from './holders.ts'
import { listenToKeyboard, type KeyboardOptions } from './keyboard-input.ts'
import { clampZoom, placementOf, scrollFor, zoomOf, type Placement, type Point, type Size } from './placement.ts'
import { listenToMouse } from './pointer-input.ts'
import classes from './room.module.css'
import type { ChangeSettings, ControlSettings } from './settings.ts'
import { listenToTouch } from './touch-input.ts'

interface PictureInput extends Pick<KeyboardOptions, 'hostKey' | 'takeSticky' | 'paste'> {
  onFocus: (isFocused: boolean) => void
}

interface PictureProps {
  deviceName: string
  session: ControlSession
  state: ControlState
  settings: ControlSettings
  onChange: ChangeSettings
  keyboard: RefObject<HTMLTextAreaElement | null>
  isKeyboardOnScreen: boolean
  input: PictureInput
}

/** Size of an element in CSS pixels, and the number of screen pixels per CSS pixel. */
function useStage(stage: RefObject<HTMLElement | null>) {
  const [size, setSize] = useState<Size & { ratio: number }>()
  useLayoutEffect(() => {
    const element = stage.current
    if (!element) {
      return undefined
    }
    const measure = () => {
      const { clientWidth: width, clientHeight: height } = element
      // A hidden tab has size 0.
      if (width > 0 && height > 0) {
        setSize({ width, height, ratio: window.devicePixelRatio })
      }
    }
    measure()
    const observer = new ResizeObserver(measure)
    observer.observe(element)
    window.addEventListener('resize', measure)
    // Moving a window to a screen with another pixel density may keep its size in CSS pixels.
    const screen = new AbortController()
    const watch = () =>
      window.matchMedia(`(resolution: ${window.devicePixelRatio}dppx)`).addEventListener(
        'change',
        () => {
          measure()
          watch()
        },
        { once: true, signal: screen.signal },
      )
    watch()
    return () => {
      observer.disconnect()
      window.removeEventListener('resize', measure)
      screen.abort()
    }
  }, [stage])
  return size
}

type StageRef = RefObject<HTMLDivElement | null>

/** Places the picture on the stage. Returns the placement and a function that zooms around a point. */
function usePlacement(
  stage: StageRef,
  { state, settings, onChange }: Pick<PictureProps, 'state' | 'settings' | 'onChange'>,
) {
  const size = useStage(stage)
  const picture = state.shownSize
  const { mode, zoom, smoothing } = settings
  const placement: Placement | undefined =
    size && picture && placementOf({ mode, zoom, smoothing, stage: size, picture, ratio: size.ratio })
  /** Scroll position to set once the picture has its new size. */
  const aim = useRef<{ left: number; top: number }>(undefined)
  const handleZoom = (factor: number, from: Point, to: Point) => {
    const element = stage.current
    if (!element || !placement || !picture || !size) {
      return
    }
    const next = clampZoom(zoomOf(placement, picture, size.ratio) * factor)
    const after = placementOf({ mode: 'zoom', zoom: next, smoothing, stage: size, picture, ratio: size.ratio })
    const { left, top } = element.getBoundingClientRect()
    const { scrollLeft, scrollTop } = element
    aim.current = {
      left: scrollFor([from.x - left, to.x - left], scrollLeft, [placement.left, placement.width], after.width),
      top: scrollFor([from.y - top, to.y - top], scrollTop, [placement.top, placement.height], after.height),
    }
    // Input is faster than rendering: each step starts from the result of the previous step.
    flushSync(() => onChange({ mode: 'zoom', zoom: next }))
  }
  useLayoutEffect(() => {
    if (aim.current) {
      stage.current?.scrollTo(aim.current)
      aim.current = undefined
    }
  })
  return { placement, handleZoom }
}

/** Screen of the device with keyboard, mouse and touch input. */
export function Picture(props: PictureProps) {
  const { deviceName, session, state, settings, keyboard, isKeyboardOnScreen, input } = props
  const stage = useRef<HTMLDivElement>(null)
  const box = useRef<HTMLDivElement>(null)
  const { placement, handleZoom } = usePlacement(stage, props)

  const place = useCallback(
    (element: HTMLDivElement | null) => {
      box.current = element
      element?.replaceChildren(session.canvas)
    },
    [session],
  )

  const hostKey = useEffectEvent(input.hostKey)
  const paste = useEffectEvent(input.paste)
  const takeSticky = useEffectEvent(input.takeSticky)
  const modeOfKeys = useEffectEvent(() => settings.keyboard)
  const zoom = useEffectEvent((factor: number, from: Point, to: Point) => handleZoom(factor, from, to))
  useEffect(() => {
    const area = keyboard.current
    const surface = session.canvas
    const around = stage.current
    if (!area || !around) {
      return undefined
    }
    const onPress = () => area.focus({ preventScroll: true })
    const onZoom = (factor: number, from: Point, to: Point) => zoom(factor, from, to)
    const stops = [
      listenToKeyboard(area, {
        session,
        mode: () => modeOfKeys(),
        hostKey: (event) => hostKey(event),
        takeSticky: () => takeSticky(),
        paste: (data) => paste(data),
      }),
      listenToMouse({ session, surface, onPress, onZoom }),
      listenToTouch({ session, surface, stage: around, onPress, onZoom }),
    ]
    return () => stops.forEach((stop) => stop())
  }, [session, keyboard])

  const isActing = canAct(state.viewers)
  useEffect(() => {
    session.canvas.style.cursor = session.isViewOnly || !isActing ? 'default' : cursorOf(state.cursor)
  }, [session, session.isViewOnly, isActing, state.cursor])

  useEffect(() => {
    session.canvas.style.imageRendering = placement?.rendering ?? 'auto'
  }, [session, placement?.rendering])

  return (
    <>
      <textarea
        ref={keyboard}
        className={classes.keyboard}
        aria-label={t.control.keyboard(deviceName)}
        aria-description={t.control.keyboardHint}
        inputMode={isKeyboardOnScreen ? 'text' : 'none'}
        autoCapitalize="off"
        autoComplete="off"
        autoCorrect="off"
        spellCheck={false}
        onFocus={() => input.onFocus(true)}
        onBlur={() => input.onFocus(false)}
      />
      <div ref={stage} className={classes.stage} data-away={state.session.phase !== 'open' || undefined}>
        <div
          ref={place}
          className={classes.picture}
          role="img"
          aria-label={t.control.label(deviceName)}
          data-testid="remote-screen"
          style={
            placement
              ? { width: placement.width, height: placement.height, left: placement.left, top: placement.top }
              : { visibility: 'hidden' }
          }
        />
      </div>
    </>
  )
}
