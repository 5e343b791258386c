import type { MessageHandlers } from '../../../shared/remote-control/channel.ts'
import type { ViewerMessage } from '../../../shared/remote-control/messages.ts'
import { mouseButton, type MouseButton } from '../../../shared/remote-control/values.ts'
import { reasonOf } from '../../base/errors.ts'
import type { Input, Rectangle } from '../../platform/desktop/desktop.ts'
import type { SessionRights } from './rights.ts'

export interface InputDependencies {
  input: Input
  rights: SessionRights
  /** Whether this session holds control. */
  mayAct: () => boolean
  /** Bounds of the shown display on the desktop. */
  place: () => Rectangle | undefined
  tell: (problem: string) => void
  /** Called with the end of each text that is typed. */
  onTyping?: (typing: Promise<unknown>) => void
  /** Called when keys or buttons are used. */
  onTyped?: () => void
}

/** Maximum number of characters queued for typing; longer input is rejected with a message to the viewer. */
const maxTypingLength = 100_000
/** Maximum length of a key name; longer names are rejected. */
const maxKeyLength = 64
const maxScroll = 10_000

const buttons: readonly number[] = Object.values(mouseButton)
const isButton = (button: number): button is MouseButton => buttons.includes(button)

interface Position {
  normalizedX: number
  normalizedY: number
}

/** Maps a share from 0 to 1 to a pixel; 1 maps to the last pixel. */
const along = (start: number, length: number, share: number) =>
  start + Math.min(length - 1, Math.floor(Math.min(1, Math.max(0, share)) * length))

const scrolled = (pixels: number) =>
  Number.isFinite(pixels) ? Math.trunc(Math.min(maxScroll, Math.max(-maxScroll, pixels))) : 0

/** Handlers that inject the viewer's pointer and keyboard input, as far as the session's policy permits. */
export function inputHandlers({
  input,
  rights,
  mayAct,
  place,
  tell,
  onTyping = () => {},
  onTyped = () => {},
}: InputDependencies): MessageHandlers<ViewerMessage> {
  let typingLength = 0
  const permitted = () => rights.permits('canInteract') && mayAct()

  /** Returns false when the position is invalid or the viewer may not interact now. */
  const moveTo = ({ normalizedX, normalizedY }: Position): boolean => {
    const bounds = place()
    if (!bounds || !Number.isFinite(normalizedX) || !Number.isFinite(normalizedY) || !permitted()) {
      return false
    }
    input.movePointer(along(bounds.x, bounds.width, normalizedX), along(bounds.y, bounds.height, normalizedY))
    return true
  }

  const type = async (text: string) => {
    typingLength += text.length
    try {
      const typing = input.typeText(text)
      onTyping(typing)
      await typing
    } catch (error) {
      tell(`The text could not be typed: ${reasonOf(error)}.`)
    }
    typingLength -= text.length
  }

  return {
    MovePointer: moveTo,
    MouseButtonEvent({ button, isPressed, ...position }) {
      if (isButton(button) && moveTo(position)) {
        onTyped()
        input.setButton(button, isPressed)
      }
    },
    MouseClick({ button, isDoubleClick, ...position }) {
      if (isButton(button) && moveTo(position)) {
        onTyped()
        for (const isPressed of isDoubleClick ? [true, false, true, false] : [true, false]) {
          input.setButton(button, isPressed)
        }
      }
    },
    WheelScroll({ scrollX, scrollY, ...position }) {
      const [x, y] = [scrolled(scrollX), scrolled(scrollY)]
      if ((x !== 0 || y !== 0) && moveTo(position)) {
        input.scroll(x, y)
      }
    },
    KeyEvent({ key, code, isPressed, inputMode: mode, modifiers }) {
      if (key.length <= maxKeyLength && code.length <= maxKeyLength && permitted()) {
        onTyped()
        input.setKey({ key, code, isPressed, mode, modifiers })
      }
    },
    TypeText({ text }) {
      if (text === '' || !permitted()) {
        return
      }
      if (typingLength + text.length > maxTypingLength) {
        tell(`The text was not typed: it is longer than ${maxTypingLength} characters.`)
      } else {
        onTyped()
        void type(text)
      }
    },
    ResetKeyboardState: () => input.releaseAll(),
  }
}
