import type { KeyboardInputMode } from '../../../../shared/remote-control/values.ts'
import type { ControlSession } from './control-session.ts'
import {
  hostCommandOf,
  isForInputMethod,
  keyMessage,
  modifierStroke,
  type HeldModifier,
  type HostCommand,
  type KeyMessage,
} from './keys.ts'

interface KeyboardOptions {
  session: ControlSession
  mode: () => KeyboardInputMode
  onCommand: (command: HostCommand) => void
  /** Modifiers of the key bar that are held for the next key. */
  takeSticky: () => readonly HeldModifier[]
}

/**
 * Keys and texts that come to a text area, which nobody sees, go to the device. Returns the function that lets go of all
 * keys and stops listening.
 */
export function listenToKeyboard(area: HTMLTextAreaElement, options: KeyboardOptions): () => void {
  const { session, mode, onCommand, takeSticky } = options
  /** Keys that are down at the device, by their position. */
  const held = new Map<string, KeyMessage>()
  const stopping = new AbortController()
  const { signal } = stopping

  const releaseAll = () => {
    if (held.size > 0) {
      held.clear()
      session.act({ name: 'ResetKeyboardState', payload: {} })
    }
  }
  const stroke = (payload: KeyMessage) => session.act({ name: 'KeyEvent', payload })
  const nameOf = ({ code, key }: KeyMessage) => code || key.toLowerCase()

  const press = (message: KeyMessage) => {
    const isModifier = ['Control', 'Shift', 'Alt', 'Meta', 'AltGraph'].includes(message.key)
    const sticky = isModifier ? [] : takeSticky()
    sticky.forEach((modifier) => stroke(modifierStroke(modifier, true)))
    held.set(nameOf(message), message)
    const modifiers = { ...message.modifiers, ...Object.fromEntries(sticky.map((modifier) => [modifier, true])) }
    stroke({ ...message, modifiers })
    sticky.toReversed().forEach((modifier) => stroke(modifierStroke(modifier, false)))
  }

  area.addEventListener(
    'keydown',
    (event) => {
      const command = hostCommandOf(event)
      if (command !== undefined) {
        event.preventDefault()
        event.stopPropagation()
        // The host keys themselves are down at the device by now.
        releaseAll()
        if (!event.repeat) {
          onCommand(command)
        }
        return
      }
      if (isForInputMethod(event)) {
        return
      }
      event.preventDefault()
      event.stopPropagation()
      press(keyMessage(event, true, mode()))
    },
    { signal },
  )
  area.addEventListener(
    'keyup',
    (event) => {
      const message = keyMessage(event, false, mode())
      if (!held.delete(nameOf(message))) {
        return
      }
      event.preventDefault()
      stroke(message)
      // A Mac tells of no key that comes up while Command is down.
      if (event.key === 'Meta') {
        releaseAll()
      }
    },
    { signal },
  )

  const typeText = () => {
    const text = area.value
    area.value = ''
    if (text !== '') {
      session.act({ name: 'TypeText', payload: { text } })
    }
  }
  area.addEventListener('compositionend', typeText, { signal })
  area.addEventListener(
    'input',
    (event) => {
      const { isComposing, inputType } = event as InputEvent
      if (!isComposing) {
        typeText()
      }
      // Keyboards on glass tell of no keys: what they take back has no text.
      if (inputType.startsWith('deleteContentBackward')) {
        const key = { key: 'Backspace', code: 'Backspace', inputMode: mode(), modifiers: noModifiers }
        stroke({ ...key, isPressed: true })
        stroke({ ...key, isPressed: false })
      }
    },
    { signal },
  )
  area.addEventListener('blur', releaseAll, { signal })
  // A menu of the system, another window: what is down there comes up unseen.
  window.addEventListener('blur', releaseAll, { signal })

  return () => {
    releaseAll()
    stopping.abort()
  }
}

const noModifiers = { control: false, shift: false, alt: false, meta: false }
