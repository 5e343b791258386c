import { lstat, stat } from 'node:fs/promises'
import type { MessageHandlers } from '../../../shared/remote-control/channel.ts'
import { clipboardLimitText, maxClipboardBytes, type ClipboardKind } from '../../../shared/remote-control/clipboard.ts'
import type { Payload, ViewerMessage } from '../../../shared/remote-control/messages.ts'
import { drawablePngSize } from '../../../shared/picture-size.ts'
import { PictureParts, sendPicture } from '../../../shared/remote-control/picture-parts.ts'
import { reasonOf, UserError } from '../../base/errors.ts'
import type { Clipboard } from '../../platform/desktop/desktop.ts'
import type { SessionEnd } from './request.ts'
import type { SessionRights } from './rights.ts'
import type { DeviceChannel } from './screen-sender.ts'
import { SessionFolders } from './session-folders.ts'

export interface ClipboardDependencies {
  clipboard: Clipboard
  rights: SessionRights
  channel: DeviceChannel
  sessionId: string
  /** Whether the viewer only watches, or another viewer has control. */
  isWatching: () => boolean
  /** Whether the person at the device is answering a question. */
  isPaused: () => boolean
  tell: (problem: string) => void
}

const refusals = {
  off: 'The clipboard is off in this session. Switch it on in its menu.',
  watching: 'The clipboard is shared only with the viewer who has control.',
  paused: 'The person at the device is answering a question. Paste again afterwards.',
  noPictures: 'The agent cannot exchange pictures with the clipboard of this desktop. Send the picture as a file.',
  noFiles: 'The agent cannot put files on the clipboard of this desktop. Drop them on the picture.',
  noPicture: 'This is not a PNG picture that fits a screen.',
} as const

/** Copied file or folder, as the viewer sees it; undefined if this user cannot see it. */
const factsOf = async (path: string) => {
  const facts = await stat(path).catch(() => lstat(path).catch(() => undefined))
  return facts && { path, size: facts.size, isFolder: facts.isDirectory() }
}

/** Shares the clipboard of the desktop with the viewer, in both directions, as far as the session's policy permits. */
export class SharedClipboard {
  readonly #pasted = new Set<ClipboardKind>()
  readonly #copied = new Set<ClipboardKind>()
  readonly #deps: ClipboardDependencies
  readonly #folders = new SessionFolders()
  readonly #incoming = new PictureParts()
  readonly #told = new Set<string>()
  #isOn = true
  /** Counts the changes at the device; a change makes the ones before it stale. */
  #changes = 0
  #offered: { id: number; png: Buffer } | undefined

  constructor(deps: ClipboardDependencies) {
    this.#deps = deps
    deps.clipboard.onChange = () => {
      const change = ++this.#changes
      this.#offered = undefined
      if (this.#refusal('canReadClipboard') === undefined) {
        void this.#attempt(() => this.#sendContent(() => change !== this.#changes))
      }
    }
    this.#sendStatus()
  }

  handlers(): MessageHandlers<ViewerMessage> {
    const { clipboard } = this.#deps
    return {
      RequestClipboardText: () => {
        if (this.#permits('canReadClipboard')) {
          void this.#attempt(async () => this.#sendText(await clipboard.readText()))
        }
      },
      ClipboardText: ({ text }) => {
        if (text !== null && this.#permits('canWriteClipboard')) {
          this.#pasted.add('text')
          void this.#attempt(() => clipboard.writeText(text))
        }
      },
      ToggleClipboard: ({ isEnabled }) => {
        this.#isOn = isEnabled
        this.#offered = undefined
        this.#incoming.forget()
        this.#sendStatus()
      },
      RequestClipboardPicture: ({ offerId }) => void this.#sendPicture(offerId),
      ClipboardPicture: (part) => this.#receive(part),
      ClipboardFiles: ({ contentId, names }) =>
        void this.#take(contentId, 'files', async () => {
          const { files } = clipboard
          if (!files) {
            throw new UserError(refusals.noFiles)
          }
          await files.write(await this.#folders.uploaded(names))
        }),
      RequestFolder: ({ purpose }) => void this.#sendFolder(purpose),
    }
  }

  /** Kinds that went to the device and to the viewer in this session. */
  used(): Pick<SessionEnd, 'pasted' | 'copied'> {
    const [pasted, copied] = [[...this.#pasted], [...this.#copied]]
    return { ...(pasted.length > 0 && { pasted }), ...(copied.length > 0 && { copied }) }
  }

  /** Call at the end of the session. */
  async close(): Promise<void> {
    this.#isOn = false
    this.#deps.clipboard.onChange = () => {}
    await this.#folders.remove()
  }

  /** Reason why the viewer gets or gives nothing at present; the device decides, whatever the viewer shows (T05). */
  #refusal(right: 'canReadClipboard' | 'canWriteClipboard'): string | undefined {
    const { rights, isWatching, isPaused } = this.#deps
    return (
      rights.refusalOf(right) ??
      (isWatching() ? refusals.watching : undefined) ??
      (this.#isOn ? undefined : refusals.off) ??
      (right === 'canWriteClipboard' && isPaused() ? refusals.paused : undefined)
    )
  }

  /** Tells the viewer each reason once. */
  #permits(right: 'canReadClipboard' | 'canWriteClipboard'): boolean {
    const refusal = this.#refusal(right)
    if (refusal !== undefined && !this.#told.has(refusal)) {
      this.#told.add(refusal)
      this.#deps.tell(refusal)
    }
    return refusal === undefined
  }

  async #attempt(work: () => Promise<unknown>) {
    try {
      await work()
    } catch (error) {
      this.#deps.tell(
        error instanceof UserError ? error.message : `The clipboard of the device does not answer: ${reasonOf(error)}.`,
      )
    }
  }

  #sendStatus() {
    const { clipboard, channel } = this.#deps
    void channel.send('ClipboardStatus', {
      isEnabled: this.#isOn,
      hasPictures: clipboard.pictures !== undefined,
      hasFiles: clipboard.files !== undefined,
    })
  }

  /** Sends text, and offers files or a picture: the viewer asks for a picture when it is wanted. */
  async #sendContent(isStale: () => boolean) {
    const { clipboard } = this.#deps
    const isRefused = () => isStale() || this.#refusal('canReadClipboard') !== undefined
    const paths = (await clipboard.files?.read()) ?? []
    const files = (await Promise.all(paths.map(factsOf))).filter((file) => file !== undefined)
    if (files.length > 0) {
      if (!isRefused()) {
        this.#copied.add('files')
        this.#offer({ byteCount: 0, width: 0, height: 0, files })
      }
      return
    }
    const text = await clipboard.readText()
    const png = text === null ? ((await clipboard.pictures?.read()) ?? null) : null
    const size = png && drawablePngSize(png)
    if (isRefused()) {
      return
    }
    if (png && size) {
      this.#offered = { id: this.#changes, png }
      this.#offer({ byteCount: png.length, ...size, files: [] })
    } else {
      this.#sendText(text)
    }
  }

  #offer(offer: Omit<Payload<'ClipboardOffer'>, 'offerId'>) {
    void this.#deps.channel.send('ClipboardOffer', { offerId: this.#changes, ...offer })
  }

  #sendText(text: string | null) {
    const { channel, sessionId, tell } = this.#deps
    if (this.#refusal('canReadClipboard') !== undefined) {
      return
    }
    if (text !== null && Buffer.byteLength(text) > maxClipboardBytes) {
      tell(`The text on the clipboard of the device is ${clipboardLimitText}.`)
      return
    }
    if (text !== null) {
      this.#copied.add('text')
    }
    void channel.send('ClipboardText', { text, sessionId })
  }

  async #sendPicture(offerId: number) {
    const offered = this.#offered
    if (offered?.id === offerId && this.#permits('canReadClipboard')) {
      this.#copied.add('picture')
      await sendPicture(offerId, offered.png, async (part) => {
        const isCurrent = this.#offered === offered && this.#refusal('canReadClipboard') === undefined
        return isCurrent && (await this.#deps.channel.send('ClipboardPicture', part))
      })
    }
  }

  #receive(part: Payload<'ClipboardPicture'>) {
    const { contentId } = part
    const refusal = this.#refusal('canWriteClipboard')
    try {
      if (refusal !== undefined) {
        throw new UserError(refusal)
      }
      const bytes = this.#incoming.add(part)
      if (bytes) {
        void this.#take(contentId, 'picture', async () => {
          const { pictures } = this.#deps.clipboard
          if (!pictures || !drawablePngSize(bytes)) {
            throw new UserError(pictures ? refusals.noPicture : refusals.noPictures)
          }
          await pictures.write(Buffer.from(bytes.buffer))
        })
      }
    } catch (error) {
      this.#incoming.forget()
      this.#sendResult(contentId, `${reasonOf(error)}.`)
    }
  }

  /** Puts content of the viewer on the clipboard, and reports the outcome. */
  async #take(contentId: number, kind: ClipboardKind, write: () => Promise<unknown>) {
    let reason = this.#refusal('canWriteClipboard') ?? null
    try {
      if (reason === null) {
        await write()
        this.#pasted.add(kind)
      }
    } catch (error) {
      reason = `${reasonOf(error)}.`
    }
    this.#sendResult(contentId, reason)
  }

  #sendResult(contentId: number, reason: string | null) {
    void this.#deps.channel.send('ClipboardResult', { contentId, reason })
  }

  /** Names a folder to a viewer who has control; the server decides whether that viewer may upload. */
  async #sendFolder(purpose: Payload<'RequestFolder'>['purpose']) {
    const { rights, isWatching, channel } = this.#deps
    let path = ''
    let reason = rights.refusalOf('canInteract') ?? (isWatching() ? refusals.watching : null)
    try {
      path = reason === null ? await this.#folders.folderFor(purpose) : ''
    } catch (error) {
      reason = `The device has no folder for these files: ${reasonOf(error)}.`
    }
    void channel.send('Folder', { purpose, path, reason })
  }
}
