import { expect, onTestFinished, test } from 'vitest'
import type { ViewerMessage, Payload } from '../../../../shared/remote-control/messages.ts'
import { fullPolicy, watchingPolicy, type SessionPolicy } from '../../../../shared/remote-control/policy.ts'
import { allDisplays, controlRequest, folderPurpose, imageFormat } from '../../../../shared/remote-control/values.ts'
import { until } from '../../../support/until.ts'
import { MemoryDesktop, memorySwitch } from './memory-desktop.ts'
import { startScene } from './scene.ts'

const most = 2_147_483_647
const sessionId = '00000000-0000-0000-0000-000000000000'
const far = { normalizedX: 1e300, normalizedY: Number.NaN }
const middle = { normalizedX: 0.5, normalizedY: 0.5 }
const modifiers = { control: true, shift: true, alt: true, meta: true }
const long = 'x'.repeat(100_000)
const toggles = [{ isEnabled: true }, { isEnabled: false }, { isEnabled: true }] as const

/** Payloads of a hostile viewer, of every message: allowed values and absurd ones. */
const attacks: { readonly [N in Exclude<ViewerMessage, 'CloseRemoteControlSession'>]: readonly Payload<N>[] } = {
  ChangeDisplays: [{ displayId: long }, { displayId: allDisplays }, { displayId: '__proto__' }],
  ClipboardText: [
    { text: 'mine', sessionId },
    { text: null, sessionId },
    { text: long, sessionId },
  ],
  MovePointer: [far, middle],
  MouseButtonEvent: [
    { button: most, isPressed: true, ...middle },
    { button: -1, isPressed: true, ...far },
  ],
  KeyEvent: [{ key: long, code: long, isPressed: true, inputMode: 0, modifiers }],
  TypeText: [{ text: 'rm -rf\n' }, { text: '\u0000\uD800' }],
  ResetKeyboardState: [{}],
  WheelScroll: [{ scrollX: Infinity, scrollY: Number.NaN, ...far }],
  MouseClick: [{ button: 0, isDoubleClick: true, ...middle }],
  RequestClipboardText: [{}],
  RequestKeyFrame: [{}],
  ToggleBlockInput: toggles,
  TogglePrivacyScreen: toggles,
  UpdateCaptureSettings: [
    {
      captureCursor: true,
      enableDirectX: true,
      isAutoQualityEnabled: false,
      manualQuality: most,
      autoQualityLowerThresholdMbps: Number.NaN,
      autoQualityMaximum: -most,
      autoQualityMinimum: most,
      autoQualityUpperThresholdMbps: -Infinity,
      isMaxBandwidthEnabled: true,
      maxBandwidthMbps: Infinity,
      encodingFormat: imageFormat.Jpeg,
    },
  ],
  RequestControl: Object.values(controlRequest).flatMap((request) => [
    { request, viewerId: 0 },
    { request, viewerId: -most },
  ]),
  FollowPointer: toggles,
  ToggleClipboard: [{ isEnabled: false }, { isEnabled: true }],
  RequestClipboardPicture: [{ offerId: 1 }, { offerId: -most }],
  ClipboardPicture: [
    { contentId: 1, byteCount: most, part: Buffer.alloc(10) },
    { contentId: 2, byteCount: 5, part: Buffer.alloc(10) },
    { contentId: 3, byteCount: 10, part: Buffer.from('no picture') },
    { contentId: 4, byteCount: -1, part: Buffer.alloc(0) },
  ],
  ClipboardFiles: [
    { contentId: 5, names: ['../../../../etc/passwd'] },
    { contentId: 6, names: ['/etc/passwd', '..', ''] },
    { contentId: 7, names: [long] },
  ],
  RequestFolder: [{ purpose: folderPurpose.Clipboard }, { purpose: folderPurpose.Drop }],
  ToggleSound: toggles,
}

/** Session of a viewer who sends all of them. */
async function attack(policy: SessionPolicy) {
  const desktop = new MemoryDesktop([320, 200])
  desktop.clipboardText = 'secret'
  const switched: string[] = []
  const switchOf = (name: string) =>
    memorySwitch((isOn) => {
      switched.push(...(isOn ? [name] : []))
      return Promise.resolve(isOn)
    })
  desktop.blockInput = switchOf('input')
  desktop.blankScreens = switchOf('screens')
  desktop.sound = Object.assign(switchOf('sound'), { onPacket: () => undefined })
  const scene = await startScene({ desktop, request: { policy, sharesControl: true, viewerPrincipalId: 'mallory' } })
  onTestFinished(() => scene.stop())
  for (const [name, payloads] of Object.entries(attacks) as [ViewerMessage, readonly never[]][]) {
    for (const payload of payloads) {
      await scene.viewer.send(name, payload)
    }
  }
  // The session goes on, and has handled what came before.
  const before = scene.frames.length
  await scene.viewer.send('RequestKeyFrame', {})
  await until(() => scene.frames.length > before)
  return { ...scene, switched }
}

test('a viewer who may only watch changes and gets nothing with any message of the protocol (T05)', async () => {
  const { desktop, told, switched } = await attack({ ...watchingPolicy, canHear: false })
  await until(() => told.Folder?.length === attacks.RequestFolder.length)
  await until(() => told.ClipboardResult?.length === attacks.ClipboardPicture.length + attacks.ClipboardFiles.length)
  // Released are the keys of this session, which has pressed none.
  expect([desktop.actions, switched]).toEqual([[['release']], []])
  expect([desktop.clipboardText, desktop.clipboardPicture, desktop.clipboardFiles]).toEqual(['secret', null, null])
  const got = [told.ClipboardText, told.ClipboardOffer, told.ClipboardPicture, told.Sound]
  expect(got.filter((each) => each !== undefined)).toEqual([])
  expect(told.Folder!.map(({ path }) => path)).toEqual(['', ''])
  expect(told.ClipboardResult!.filter(({ reason }) => reason === null)).toEqual([])
})

test('absurd values of a viewer with all rights end no session, and name no files of the device (T35)', async () => {
  const { desktop, told } = await attack(fullPolicy)
  await until(() => told.ClipboardResult?.length === attacks.ClipboardPicture.length + attacks.ClipboardFiles.length)
  expect([desktop.clipboardPicture, desktop.clipboardFiles]).toEqual([null, null])
  expect(told.ClipboardResult!.filter(({ reason }) => reason === null)).toEqual([])
  expect(told.RemoteControlSessionError).toBeUndefined()
})
