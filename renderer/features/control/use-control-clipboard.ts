import { useEffect, useEffectEvent, useState } from 'react'
import { usePageDevice } from '../../hooks/use-page-device.ts'
import { useSession } from '../../hooks/use-session.ts'
import * as t from '../../texts.ts'
import { nameOf, parentOf } from '../../api/device-path.ts'
import { startDownload } from '../transfers/start-download.ts'
import { hasClipboard, type SessionClipboard } from '../viewer-kit/session-clipboard.ts'
import { useStore } from '../viewer-kit/use-viewer-session.ts'
import type { ClipboardState } from './clipboard-exchange.ts'
import { newSending } from './clipboard-sending.ts'
import type { ControlSession } from './control-session.ts'
import { pictureKey } from './picture-key.ts'
import type { ClipboardOffer } from './stage-messages.ts'
import { nameOfDevice } from '../../text/name-of-device.ts'

/** Largest picture of the device that is fetched unasked: it shares the line with the screen. */
const maxUnaskedBytes = 2 * 1024 * 1024
/** Time after which a key would surprise the user; the paste is then left to another press (T33). */
const patienceMs = 2_000

interface Options {
  session: ControlSession | undefined
  /** User of the desktop. */
  username: string
  clipboard: SessionClipboard
  onNote: (note: string) => void
}

export interface ControlClipboard {
  state: ClipboardState | undefined
  isBusy: boolean
  /** Copies the offered picture to this computer. */
  copyHere: () => void
  /** Fetches the offered picture. */
  fetchPicture: () => Promise<Blob | undefined>
  saveFiles: () => void
  /** Sends the clipboard of this computer, on the user's request. */
  sendNow: () => void
  /**
   * Takes the content of a paste. Returns undefined if there is nothing to send first; else resolves with whether the key
   * may be pressed at the device.
   */
  paste: (data: DataTransfer) => Promise<boolean> | undefined
}

/** A copied picture, as opposed to a copied file of a picture: browsers give pictures this name. */
const isPicture = (file: File) => file.type === 'image/png' && file.name === 'image.png'

/** Runs work that reports its failure in a note. */
function useBusy(onNote: (note: string) => void) {
  const [isBusy, setBusy] = useState(false)
  const whileBusy = async <T>(work: () => Promise<T>): Promise<T | undefined> => {
    setBusy(true)
    try {
      return await work()
    } catch (error) {
      onNote(error instanceof Error ? error.message : String(error))
      return undefined
    } finally {
      setBusy(false)
    }
  }
  return { isBusy, whileBusy }
}

/** Pictures and files of both clipboards, by the rules of `SessionClipboard` for text. */
export function useControlClipboard({ session, username, clipboard, onNote }: Options): ControlClipboard {
  const { device, can } = usePageDevice()
  const { user } = useSession()
  const place = { deviceId: device.id, tenantId: user.tenantId }
  const deviceName = nameOfDevice(device)
  const { isBusy, whileBusy } = useBusy(onNote)
  const exchange = session?.clipboard
  const state = useStore(exchange?.store)
  const offer = state?.offer

  const fetchPicture = () => whileBusy(async () => (offer ? await exchange?.picture(offer.id) : undefined))

  const copyHere = async ({ id }: ClipboardOffer) => {
    const picture = await exchange?.picture(id)
    const key = picture && (await pictureKey(picture))
    if (!picture || key === undefined) {
      return
    }
    await clipboard.scope.incoming(key)
    try {
      await navigator.clipboard.write([new ClipboardItem({ 'image/png': picture })])
      exchange?.dismiss()
      onNote(t.viewer.clipboardTaken)
    } catch {
      onNote(t.viewer.clipboardRefused)
    }
  }
  const copyUnasked = useEffectEvent((next: ClipboardOffer) => {
    const isSmall = next.picture && next.picture.byteCount <= maxUnaskedBytes
    if (isSmall && clipboard.options.isShared && clipboard.isFocused && hasClipboard()) {
      void whileBusy(() => copyHere(next))
    }
  })
  useEffect(() => {
    if (offer) {
      copyUnasked(offer)
    }
  }, [offer])

  const send = newSending({ exchange, clipboard, onNote, place: { ...place, ownedBy: username }, deviceName, can })
  const unlessLate = async (work: () => Promise<boolean>) => {
    const start = performance.now()
    const isDone = (await whileBusy(work)) ?? false
    return isDone && performance.now() - start < patienceMs
  }

  return {
    state,
    isBusy,
    copyHere: () => offer && void whileBusy(() => copyHere(offer)),
    fetchPicture,
    saveFiles() {
      if (offer) {
        const entries = offer.files.map(({ path, size, isFolder }) => ({
          name: nameOf(path),
          fullPath: path,
          isDirectory: isFolder,
          size,
        }))
        void startDownload(place, deviceName, parentOf(entries[0]?.fullPath ?? '') ?? '', entries)
        exchange?.dismiss()
      }
    },
    sendNow: () =>
      void whileBusy(async () => {
        const items = await navigator.clipboard.read().catch(() => [])
        const picture = items.find(({ types }) => types.includes('image/png') && !types.includes('text/plain'))
        if (picture && state?.hasPictures) {
          await send.picture(await picture.getType('image/png'), true)
        } else {
          await clipboard.sendNow()
        }
      }),
    paste(data) {
      const files = [...data.files]
      if (!clipboard.canShare || !hasClipboard()) {
        return undefined
      }
      const [first] = files
      const text = data.getData('text/plain')
      const isPictureAlone = first !== undefined && files.length === 1 && isPicture(first)
      // Office programs copy a picture of the text besides the text.
      if (!first || (isPictureAlone && text !== '')) {
        return text === '' || clipboard.scope.has(text) ? undefined : clipboard.sharePasted(text).then(() => true)
      }
      if (state && (isPictureAlone ? state.hasPictures : state.hasFiles)) {
        return unlessLate(() => (isPictureAlone ? send.picture(first, false) : send.files(files)))
      }
      onNote(isPictureAlone ? t.control.clip.noPictures : t.control.clip.noFiles)
      return undefined
    },
  }
}
