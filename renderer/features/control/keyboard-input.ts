import type { KeyboardInputMode } from '../../../shared/remote-control/values.ts'
import type { ControlSession } from './control-session.ts'
import {
  heldModifiers,
  isForInputMethod,
  isModifier,
  isOneCharacter,
  keyMessage,
  modifierStroke,
  strokesOf,
  type HeldModifier,
  type KeyMessage,
} from './keys.ts'

export interface KeyboardOptions {
  session: ControlSession
  mode: () => KeyboardInputMode
  /** Action of a host key, which is for the page and not for the device. */
  hostKey: (event: KeyboardEvent) => (() => unknown) | undefined
  /** Modifiers of the key bar that are held for the next key. */
  takeSticky: () => readonly HeldModifier[]
  /**
   * Takes the content of a paste by keyboard. Returns undefined where the key can be pressed at once; else resolves with
   * whether it may still be pressed at the device, whose clipboard has the content then.
   */
  paste: (data: DataTransfer) => Promise<boolean> | undefined
}

/**
 * Precedes the caret so that on-screen keyboards have something to delete: in an empty field many report no Backspace.
 * U+2060 joins words, so keyboards neither complete, correct nor punctuate here.
 */
const guard = '\u2060'.repeat(8)

/** Ctrl+V, or Cmd+V. */
const isPaste = ({ key, ctrlKey, metaKey, shiftKey, altKey }: KeyboardEvent) =>
  key.toLowerCase() === 'v' && ctrlKey !== metaKey && !shiftKey && !altKey

interface PasteDependencies extends Pick<KeyboardOptions, 'paste'> {
  press: (message: KeyMessage) => void
  stroke: (message: KeyMessage) => void
  /** Keys that are down. */
  held: ReadonlyMap<string, KeyMessage>
  signal: AbortSignal
}

/** Presses the keys of pastes, once the device has what is pasted. */
function followPastes(area: HTMLTextAreaElement, { press, stroke, paste, held, signal }: PasteDependencies) {
  /** Key whose content the browser hands over next. */
  let pasting: KeyMessage | undefined
  const pressNow = () => {
    if (pasting) {
      press(pasting)
      pasting = undefined
    }
  }
  /** Presses the key after it was released here. */
  const pressLate = ({ key, code, modifiers }: KeyMessage) => {
    const needed = heldModifiers.filter((modifier) => modifiers[modifier])
    strokesOf({ label: '', held: needed, key, code }).forEach((payload) => stroke(payload))
    const isDown = (modifier: HeldModifier) =>
      [...held.values()].some((message) => message.key.toLowerCase() === modifier)
    needed.filter(isDown).forEach((modifier) => stroke(modifierStroke(modifier, true)))
  }
  const handlePaste = (event: ClipboardEvent) => {
    event.preventDefault()
    const message = pasting
    const sending = event.clipboardData ? paste(event.clipboardData) : undefined
    if (!sending) {
      pressNow()
      return
    }
    pasting = undefined
    const isHere = () => document.activeElement === area
    void sending.then((mayPress) => mayPress && message && isHere() && pressLate(message))
  }
  area.addEventListener('paste', handlePaste, { signal })
  return {
    /** Presses the key at once if the browser hands over nothing. */
    begin(message: KeyMessage) {
      pasting = message
      setTimeout(pressNow)
    },
  }
}

/** Sends keys. Returns functions that tap a key and that release all keys. */
function sendKeys(
  area: HTMLTextAreaElement,
  { session, mode, hostKey, takeSticky, paste }: KeyboardOptions,
  signal: AbortSignal,
) {
  /** Keys that are down at the device, by name. */
  const held = new Map<string, KeyMessage>()
  /** Whether the next key completes a dead-key character. */
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
  const pastes = followPastes(area, { press, stroke, paste, held, signal })
  const handleKeyDown = (event: KeyboardEvent) => {
    const runHostKey = hostKey(event)
    if (runHostKey) {
      event.preventDefault()
      event.stopPropagation()
      // The modifiers of the host key are already down at the device.
      releaseAll()
      if (!event.repeat) {
        runHostKey()
      }
      return
    }
    const endsCharacter = isAfterDead && isOneCharacter(event.key)
    isAfterDead = event.key === 'Dead' || (isAfterDead && isModifier(event.key))
    if (isForInputMethod(event) || endsCharacter) {
      return
    }
    event.stopPropagation()
    if (isPaste(event) && !event.repeat) {
      // The browser hands over its clipboard in the event that follows, unless the key is prevented.
      pastes.begin(keyMessage(event, true, mode()))
      return
    }
    event.preventDefault()
    press(keyMessage(event, true, mode()))
  }
  const handleKeyUp = (event: KeyboardEvent) => {
    const message = keyMessage(event, false, mode())
    if (!held.delete(nameOf(message))) {
      return
    }
    event.preventDefault()
    stroke(message)
    // macOS reports no keyup while Command is down.
    if (event.key === 'Meta') {
      releaseAll()
    }
  }
  area.addEventListener('keydown', handleKeyDown, { signal })
  area.addEventListener('keyup', handleKeyUp, { signal })
  area.addEventListener('blur', releaseAll, { signal })
  // Without focus the page misses the keyup events.
  window.addEventListener('blur', releaseAll, { signal })
  return {
    releaseAll,
    tap: (key: string, code: string, sticky = takeSticky()) =>
      strokesOf({ label: '', held: sticky, key, code }).forEach((payload) => stroke(payload)),
  }
}

/** Sends the text that input methods and on-screen keyboards put into the area. */
function sendTexts(
  area: HTMLTextAreaElement,
  { session, takeSticky }: KeyboardOptions,
  tap: ReturnType<typeof sendKeys>['tap'],
  signal: AbortSignal,
) {
  const clear = () => {
    area.value = guard
    area.setSelectionRange(guard.length, guard.length)
    delete area.dataset.composing
  }
  const textOf = () => area.value.replace(/^\u2060+/, '')
  /** Sends the text of the area. A modifier of the key bar makes a shortcut of the first character. */
  const typeText = (sticky = textOf() === '' ? [] : takeSticky()) => {
    const [first, ...rest] = textOf()
    clear()
    if (first === undefined) {
      return
    }
    if (sticky.length > 0) {
      // Japanese keyboards produce full-width letters.
      const key = first.normalize('NFKC')
      tap(sticky.includes('shift') ? key.toUpperCase() : key, '', sticky)
    }
    const text = [...(sticky.length > 0 ? [] : [first]), ...rest].join('')
    if (text !== '') {
      session.act({ name: 'TypeText', payload: { text } })
    }
  }
  const isComposing = () => area.dataset.composing !== undefined
  const handleInput = (event: Event) => {
    const { inputType } = event as InputEvent
    if (isComposing()) {
      // A shortcut is sent before the composition ends.
      const sticky = textOf() === '' ? [] : takeSticky()
      if (sticky.length > 0) {
        typeText(sticky)
      }
    } else if (inputType.startsWith('delete')) {
      // On-screen keyboards report no key events for deletions.
      clear()
      tap('Backspace', 'Backspace')
    } else if (inputType === 'insertLineBreak') {
      clear()
      tap('Enter', 'Enter')
    } else {
      typeText()
    }
  }
  area.addEventListener('compositionstart', () => (area.dataset.composing = ''), { signal })
  area.addEventListener('compositionend', () => typeText(), { signal })
  area.addEventListener('input', handleInput, { signal })
  // Text is typed at the device's current caret, which the click would move.
  window.addEventListener('pointerdown', () => isComposing() && typeText(), { capture: true, signal })
  clear()
}

/**
 * Sends keys and text that reach a text area to the device; the area is visible only while an input method composes text.
 * Returns a function that releases all keys and stops listening.
 */
export function listenToKeyboard(area: HTMLTextAreaElement, options: KeyboardOptions): () => void {
  const stopping = new AbortController()
  const { tap, releaseAll } = sendKeys(area, options, stopping.signal)
  sendTexts(area, options, tap, stopping.signal)
  return () => {
    releaseAll()
    stopping.abort()
  }
}
