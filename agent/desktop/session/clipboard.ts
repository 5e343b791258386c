import type { MessageHandlers } from '../../../shared/remote-control/channel.ts'
import type { ViewerMessage } from '../../../shared/remote-control/messages.ts'
import { reasonOf } from '../../base/errors.ts'
import type { Clipboard } from '../../platform/desktop/desktop.ts'
import type { SessionRights } from './rights.ts'
import type { DeviceChannel } from './screen-sender.ts'

export interface ClipboardDependencies {
  clipboard: Clipboard
  rights: SessionRights
  channel: DeviceChannel
  sessionId: string
  tell: (problem: string) => void
}

/** Maximum text length in either direction; longer texts are not synchronized. */
const maxLength = 2 * 1024 * 1024

/** Synchronizes clipboard text in both directions, as far as the session's policy permits. */
export function shareClipboard({
  clipboard,
  rights,
  channel,
  sessionId,
  tell,
}: ClipboardDependencies): MessageHandlers<ViewerMessage> {
  const attempt = async (work: () => Promise<unknown>) => {
    try {
      await work()
    } catch (error) {
      tell(`The clipboard of the device does not answer: ${reasonOf(error)}.`)
    }
  }
  const send = async () => {
    const text = await clipboard.readText()
    if (text !== null && text.length > maxLength) {
      tell(`The text on the clipboard of the device is longer than ${maxLength} characters and was not sent.`)
    } else if (rights.has('canReadClipboard')) {
      void channel.send('ClipboardText', { text, sessionId })
    }
  }
  clipboard.onChange = () => {
    if (rights.has('canReadClipboard')) {
      void attempt(send)
    }
  }
  return {
    RequestClipboardText() {
      if (rights.permits('canReadClipboard')) {
        void attempt(send)
      }
    },
    ClipboardText({ text }) {
      if (text !== null && rights.permits('canWriteClipboard')) {
        void attempt(() => clipboard.writeText(text))
      }
    },
  }
}
