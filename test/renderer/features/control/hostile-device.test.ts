import { describe, expect, test } from 'vitest'
import { shownViewers } from '../../../../renderer/features/control/holders.ts'
import { StageClipboard } from '../../../../renderer/features/control/stage-clipboard.ts'
import { StageDisplays } from '../../../../renderer/features/control/stage-displays.ts'
import { shortened, type ClipboardNews } from '../../../../renderer/features/control/stage-messages.ts'
import { maxClipboardBytes } from '../../../../shared/remote-control/clipboard.ts'
import type { DisplayDto, Payload } from '../../../../shared/remote-control/messages.ts'
import { allDisplays, folderPurpose, layoutCoordinateSpace } from '../../../../shared/remote-control/values.ts'

// T18, T35: limits of what the page takes from a device. T18-device-messages.spec.ts shows the same in a browser.

const long = 'x'.repeat(5_000)
const most = 2_147_483_647

/** Clipboard of a page, and what it reports. */
function openClipboard() {
  const news: ClipboardNews[] = []
  const clipboard = new StageClipboard((each) => news.push(each))
  const channel = { send: () => Promise.resolve(true) }
  const request = (offerId: number) => clipboard.exchange({ do: 'request-picture', offerId }, { channel } as never)
  const handlers = clipboard.handlers() as Required<ReturnType<StageClipboard['handlers']>>
  return { news, request, handlers }
}

/** Head of a PNG of this size. */
function png(width: number, height: number): Uint8Array {
  const head = Buffer.alloc(64)
  head.write('89504e470d0a1a0a0000000d49484452', 'hex')
  head.writeUInt32BE(width, 16)
  head.writeUInt32BE(height, 20)
  return head
}

describe('an offer of the clipboard', () => {
  const picture = { offerId: 1, byteCount: 100, width: 10, height: 10, files: [] }
  const file = { path: '/a', size: 1, isFolder: false }

  test.each<[string, Partial<Payload<'ClipboardOffer'>>]>([
    ['a picture without bytes', { byteCount: 0 }],
    ['a picture above the limit', { byteCount: maxClipboardBytes + 1 }],
    ['a picture with more pixels than browsers draw', { width: most, height: most }],
    ['a picture of a negative size', { width: -10, height: -10 }],
    ['a file with a long path', { files: [{ ...file, path: `/${long}` }] }],
    ['a file of a negative size', { files: [{ ...file, size: -1 }] }],
    ['a file without a size', { files: [{ ...file, size: Number.NaN }] }],
  ])('is not shown for %s', (_, changes) => {
    const { news, handlers } = openClipboard()
    handlers.ClipboardOffer({ ...picture, ...changes })
    expect(news).toEqual([])
  })

  test('is shown with the files that the page can name', () => {
    const { news, handlers } = openClipboard()
    handlers.ClipboardOffer({ ...picture, files: [file, { ...file, size: -1 }] })
    expect(news).toEqual([{ is: 'clipboard-offer', offer: { id: 1, picture: undefined, files: [file] } }])
  })
})

describe('a picture of the clipboard', () => {
  test('that the page has not requested is dropped', () => {
    const { news, request, handlers } = openClipboard()
    request(7)
    handlers.ClipboardPicture({ contentId: 8, byteCount: 64, part: png(1, 1) })
    expect(news).toEqual([])
  })

  test.each<[string, Uint8Array, number]>([
    ['is no picture', Buffer.alloc(64, '<'), 64],
    ['has more pixels than browsers draw', png(60_000, 60_000), 64],
    ['is larger than announced', png(1, 1), 10],
    ['is above the limit', png(1, 1), most],
  ])('that %s is not decoded', (_, part, byteCount) => {
    const { news, request, handlers } = openClipboard()
    request(7)
    handlers.ClipboardPicture({ contentId: 7, byteCount, part })
    expect(news).toEqual([{ is: 'clipboard-picture', offerId: 7, picture: null }])
  })
})

test('reasons are cut, and a path that is too long is none', () => {
  const { news, handlers } = openClipboard()
  handlers.Folder({ purpose: folderPurpose.Drop, path: `/${long}`, reason: long })
  handlers.ClipboardResult({ contentId: 1, reason: long })
  const cut = long.slice(0, 300)
  expect(news).toEqual([
    { is: 'folder', purpose: folderPurpose.Drop, path: '', reason: cut },
    { is: 'clipboard-result', contentId: 1, reason: cut },
  ])
  expect(shortened({ isSuccess: false, finalState: true, reason: long }).reason).toHaveLength(300)
})

test('a list of viewers is cut, and so are their names', () => {
  const viewer = { id: 1, name: long, isYou: false, holds: true, isAsking: true }
  const viewers = shownViewers({ viewers: Array.from({ length: 20_000 }, () => viewer) })
  expect([viewers.length, viewers[0]!.name.length]).toEqual([64, 300])
})

test('displays that no browser can draw are left out, and the list and its names are cut', () => {
  const displays = new StageDisplays()
  const display = (displayId: string, width: number): DisplayDto => ({
    capturePixelSize: { width, height: 100 },
    displayId,
    index: 0,
    isPrimary: true,
    layoutBounds: { x: Number.NaN, y: 0, width: 1e300, height: 0 },
    layoutCoordinateSpace: layoutCoordinateSpace.Logical,
    name: long,
    nativePixelSize: null,
  })
  const listed = [
    display('huge', most),
    display(long, 100),
    ...Array.from({ length: 100 }, (_, at) => display(`${at}`, 100)),
  ]
  expect(displays.take(listed)).toMatchObject({ displayId: '0', name: long.slice(0, 300) })
  displays.canSpan = true
  expect(displays.show('0', { width: 100, height: 100 })).toMatchObject({ listed: 102, displays: { length: 64 } })
  expect(['huge', '__proto__', allDisplays].map((id) => displays.sizeOf(id))).toEqual([undefined, undefined, undefined])
})
