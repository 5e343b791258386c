import type { KeyboardInputMode } from '../../../shared/remote-control/values.ts'
import type { ControlSession } from './control-session.ts'
import {
  hostCommandOf,
  isForInputMethod,
  isModifier,
  isOneCharacter,
  keyMessage,
  modifierStroke,
  strokesOf,
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
 * Stands before the caret, so that keyboards on glass have something to take back: in an empty field many of them tell of
 * no Backspace. It joins words, so that none of them completes it, corrects it or makes a point of it.
 */
const guard = '\u2060'.repeat(8)

/**
 * Keys and texts that come to a text area go to the device; the area is seen only while an input method puts a text
 * together in it. Returns the function that lets go of all keys and stops listening.
 */
export function listenToKeyboard(area: HTMLTextAreaElement, options: KeyboardOptions): () => void {
  const { session, mode, onCommand, takeSticky } = options
  /** Keys that are down at the device, by their position. */
  const held = new Map<string, KeyMessage>()
  const stopping = new AbortController()
  const { signal } = stopping
  /** What comes next ends a character that a dead key began. */
  let isAfterDead = false

  const releaseAll = () => {
    isAfterDead = false
    if (held.size > 0) {
      held.clear()
      session.act({ name: 'ResetKeyboardState', payload: {} })
    }
  }
  const stroke = (payload: KeyMessage) => session.act({ name: 'KeyEvent', payload })
  const nameOf = ({ code, key }: KeyMessage) => code || key.toLowerCase()

  const press = (message: KeyMessage) => {
    const sticky = isModifier(message.key) ? [] : takeSticky()
    sticky.forEach((modifier) => stroke(modifierStroke(modifier, true)))
    held.set(nameOf(message), message)
    const modifiers = { ...message.modifiers, ...Object.fromEntries(sticky.map((modifier) => [modifier, true])) }
    const key = sticky.includes('shift') && isOneCharacter(message.key) ? message.key.toUpperCase() : message.key
    stroke({ ...message, key, modifiers })
    sticky.toReversed().forEach((modifier) => stroke(modifierStroke(modifier, false)))
  }
  const tap = (key: string, code: string, sticky = takeSticky()) =>
    strokesOf({ label: '', held: sticky, key, code }).forEach((payload) => stroke(payload))

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
      const endsCharacter = isAfterDead && isOneCharacter(event.key)
      isAfterDead = event.key === 'Dead' || (isAfterDead && isModifier(event.key))
      if (isForInputMethod(event) || endsCharacter) {
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

  const clear = () => {
    area.value = guard
    area.setSelectionRange(guard.length, guard.length)
    delete area.dataset.composing
  }
  const textOf = () => area.value.replace(/^\u2060+/, '')
  /** Sends what stands in the area. A modifier of the key bar makes a shortcut of the first character. */
  const typeText = (sticky = textOf() === '' ? [] : takeSticky()) => {
    const [first, ...rest] = textOf()
    clear()
    if (first === undefined) {
      return
    }
    if (sticky.length > 0) {
      // Japanese keyboards make wide letters.
      const key = first.normalize('NFKC')
      tap(sticky.includes('shift') ? key.toUpperCase() : key, '', sticky)
    }
    const text = [...(sticky.length > 0 ? [] : [first]), ...rest].join('')
    if (text !== '') {
      session.act({ name: 'TypeText', payload: { text } })
    }
  }
  const isComposing = () => area.dataset.composing !== undefined
  area.addEventListener('compositionstart', () => (area.dataset.composing = ''), { signal })
  area.addEventListener('compositionend', () => typeText(), { signal })
  area.addEventListener(
    'input',
    (event) => {
      const { inputType } = event as InputEvent
      if (isComposing()) {
        // A shortcut does not wait for the end of the word.
        const sticky = textOf() === '' ? [] : takeSticky()
        if (sticky.length > 0) {
          typeText(sticky)
        }
        return
      }
      // Keyboards on glass tell of no keys.
      if (inputType.startsWith('delete')) {
        clear()
        tap('Backspace', 'Backspace')
      } else if (inputType === 'insertLineBreak') {
        clear()
        tap('Enter', 'Enter')
      } else {
        typeText()
      }
    },
    { signal },
  )
  // What is put together is for the place that the person sees: a click would move the cursor there away from it first.
  window.addEventListener('pointerdown', () => isComposing() && typeText(), { capture: true, signal })
  area.addEventListener('blur', releaseAll, { signal })
  // A menu of the system, another window: what is down there comes up unseen.
  window.addEventListener('blur', releaseAll, { signal })
  clear()

  return () => {
    releaseAll()
    stopping.abort()
  }
}
