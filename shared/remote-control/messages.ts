import {
  binary,
  boolean,
  double,
  guid,
  integer,
  list,
  long,
  map,
  nullable,
  oneOf,
  optional,
  single,
  string,
  texts,
  tuple,
  type Encoding,
  type Value,
} from './encodings.ts'
import { maxClipboardFiles } from './clipboard.ts'
import { maxSoundPackets } from './sound.ts'
import {
  controlRequest,
  folderPurpose,
  imageFormat,
  keyboardInputMode,
  layoutCoordinateSpace,
  messageSeverity,
  pointerCursor,
} from './values.ts'

/** The messages of a remote-control session: number, sender, encoding of the payload. Missing numbers are retired. */

const toggle = map({ isEnabled: boolean })
/** Extension of this product: `reason` of a failure, or of a state that ended by itself. */
const toggleResult = map({ isSuccess: boolean, finalState: boolean, reason: optional(string) })
const position = { normalizedX: double, normalizedY: double }
const pixelSize = map({ height: integer, width: integer })
const emptyMap = map({})
const emptyList = tuple({})

const display = map({
  capturePixelSize: pixelSize,
  displayId: string,
  index: integer,
  isPrimary: boolean,
  layoutBounds: map({ height: double, width: double, x: double, y: double }),
  layoutCoordinateSpace: oneOf(layoutCoordinateSpace),
  name: string,
  nativePixelSize: nullable(pixelSize),
})
export type DisplayDto = Value<typeof display>

const screenRegion = tuple({
  x: single,
  y: single,
  width: single,
  height: single,
  encodedImage: binary,
  imageFormat: oneOf(imageFormat),
})
export type ScreenRegionDto = Value<typeof screenRegion>

/** Maximum number of moves in a frame: each costs a viewer a copy of its picture; more end the session. */
export const maxMoves = 64
const movedArea = tuple({
  x: integer,
  y: integer,
  width: integer,
  height: integer,
  fromX: integer,
  fromY: integer,
})
/** An area that the viewer already shows at (fromX, fromY), moved to (x, y). In whole pixels. */
export type MovedAreaDto = Value<typeof movedArea>

/** Largest picture that is sent as video, about 4K: more takes too long to encode, and memory of the viewer. */
export const maxVideoPixels = 4096 * 2304
/** Maximum number of areas that a frame of video shows. */
export const maxVideoAreas = 64
/**
 * Packet of VP8 whose picture has the size of the display, rounded up to even numbers. Only the areas, in whole
 * pixels, show the screen.
 */
const videoFrame = tuple({
  packet: binary,
  areas: list(tuple({ x: integer, y: integer, width: integer, height: integer }), maxVideoAreas),
})
export type VideoFrameDto = Value<typeof videoFrame>

/**
 * Extension of this product: `moves` are sent only to a viewer that accepts them, and apply before the regions. `video`
 * too; it applies last, and its frame has `moves`, because members are found by position. The first packet after a whole
 * picture is decodable by itself.
 */
const screenFrame = tuple({
  regions: list(screenRegion),
  moves: optional(list(movedArea, maxMoves)),
  video: optional(videoFrame),
})
export type ScreenFrame = Value<typeof screenFrame>

const keyModifiers = map({ control: boolean, shift: boolean, alt: boolean, meta: boolean })

const captureSettings = map({
  captureCursor: boolean,
  enableDirectX: boolean,
  isAutoQualityEnabled: boolean,
  manualQuality: integer,
  autoQualityLowerThresholdMbps: double,
  autoQualityMaximum: integer,
  autoQualityMinimum: integer,
  autoQualityUpperThresholdMbps: double,
  isMaxBandwidthEnabled: boolean,
  maxBandwidthMbps: double,
  encodingFormat: oneOf(imageFormat),
  /** Extensions of this product. */
  acceptsMoves: optional(boolean),
  acceptsVp8: optional(boolean),
  /** PNG and lossless WebP for text, beside the chosen format. */
  acceptsLossless: optional(boolean),
})
export type CaptureSettingsDto = Value<typeof captureSettings>

interface Message<T = unknown> {
  number: number
  from: 'viewer' | 'device' | 'both'
  payload: Encoding<T>
  /** The message is a state: a queued older state is replaced. */
  isState?: true
}

const message = <const N extends number, const F extends Message['from'], T>(
  number: N,
  from: F,
  payload: Encoding<T>,
  options?: { isState: true },
) => ({ number, from, payload, ...options })

export const messages = {
  ChangeDisplays: message(17, 'viewer', map({ displayId: string })),
  CloseRemoteControlSession: message(19, 'viewer', emptyList),
  ClipboardText: message(21, 'both', map({ text: nullable(string), sessionId: guid }), { isState: true }),
  DisplayData: message(23, 'device', map({ displays: list(display) }), { isState: true }),
  MovePointer: message(26, 'viewer', map(position)),
  MouseButtonEvent: message(27, 'viewer', map({ button: integer, isPressed: boolean, ...position })),
  KeyEvent: message(
    28,
    'viewer',
    map({
      key: string,
      code: string,
      isPressed: boolean,
      inputMode: oneOf(keyboardInputMode),
      modifiers: keyModifiers,
    }),
  ),
  TypeText: message(29, 'viewer', map({ text: string })),
  ResetKeyboardState: message(30, 'viewer', emptyList),
  WheelScroll: message(31, 'viewer', map({ ...position, scrollY: double, scrollX: double })),
  ScreenRegion: message(32, 'device', screenRegion),
  MouseClick: message(33, 'viewer', map({ button: integer, isDoubleClick: boolean, ...position })),
  CursorChanged: message(
    34,
    'device',
    map({
      cursor: oneOf(pointerCursor),
      customCursorBase64Png: nullable(string),
      xHotspot: integer,
      yHotspot: integer,
      sessionId: guid,
    }),
    { isState: true },
  ),
  RequestClipboardText: message(35, 'viewer', emptyMap),
  WindowsSessionEnding: message(36, 'device', emptyMap),
  WindowsSessionSwitched: message(37, 'device', emptyMap),
  /** Extension of this product: `waitingFrames` is the number of received frames not drawn yet. */
  Ack: message(39, 'both', map({ receivedSize: integer, sendTimestamp: long, waitingFrames: optional(integer) })),
  CaptureMetricsChanged: message(
    40,
    'device',
    map({ fps: double, captureMode: string, currentQuality: integer, extraData: texts }),
    { isState: true },
  ),
  RequestKeyFrame: message(41, 'viewer', emptyMap),
  VideoStreamPacket: message(42, 'device', tuple({ packetData: binary, timestamp: long })),
  ToggleBlockInput: message(43, 'viewer', toggle),
  ToastNotification: message(44, 'device', map({ message: string, severity: oneOf(messageSeverity) })),
  BlockInputResult: message(45, 'device', toggleResult, { isState: true }),
  TogglePrivacyScreen: message(46, 'viewer', toggle),
  PrivacyScreenResult: message(47, 'device', toggleResult, { isState: true }),
  SessionDisconnectRequested: message(48, 'device', emptyMap),
  RemoteControlSessionError: message(49, 'device', map({ message: string, isFatal: boolean })),
  ScreenRegions: message(50, 'device', screenFrame),
  UpdateCaptureSettings: message(51, 'viewer', captureSettings),
  /**
   * Extension of this product: reasons why this desktop cannot do what the viewer could ask for, whether the system
   * shows its secure desktop (Windows: lock screen, questions for an administrator), and whether `ChangeDisplays` takes
   * `allDisplays`. Without `soundObstacle` the agent does not know sound.
   */
  DesktopStatus: message(
    100,
    'device',
    map({
      blockInputObstacle: nullable(string),
      privacyScreenObstacle: nullable(string),
      isSecureDesktop: boolean,
      spansDisplays: optional(boolean),
      soundObstacle: optional(nullable(string)),
    }),
    { isState: true },
  ),
  /** Extension of this product, for sessions with `sharesControl`. `viewerId` is an id of `ControlHolders`, or 0. */
  RequestControl: message(120, 'viewer', map({ request: oneOf(controlRequest), viewerId: integer })),
  /** Viewers of this desktop that share control; input of those that do not hold it is ignored. */
  ControlHolders: message(
    121,
    'device',
    map({
      viewers: list(map({ id: integer, name: string, isYou: boolean, holds: boolean, isAsking: boolean })),
    }),
    { isState: true },
  ),
  /** Extension of this product: shows the display that the pointer of the device enters; `DisplayShown` names it. */
  FollowPointer: message(122, 'viewer', toggle),
  DisplayShown: message(123, 'device', map({ displayId: string })),
  /** Extension of this product: ends or resumes the exchange of clipboards in this session. */
  ToggleClipboard: message(130, 'viewer', toggle),
  /** Whether this session exchanges clipboards, and which kinds besides text this desktop has. */
  ClipboardStatus: message(131, 'device', map({ isEnabled: boolean, hasPictures: boolean, hasFiles: boolean }), {
    isState: true,
  }),
  /** Picture or files that were copied at the device; a picture has a size and no files. Untrusted. */
  ClipboardOffer: message(
    132,
    'device',
    map({
      offerId: integer,
      byteCount: integer,
      width: integer,
      height: integer,
      files: list(map({ path: string, size: double, isFolder: boolean }), maxClipboardFiles),
    }),
    { isState: true },
  ),
  RequestClipboardPicture: message(133, 'viewer', map({ offerId: integer })),
  /** Part of a PNG of `byteCount` bytes. The parts of one picture arrive in order; a new id replaces an unfinished picture. */
  ClipboardPicture: message(134, 'both', map({ contentId: integer, byteCount: integer, part: binary })),
  /** Puts files that were uploaded into the newest folder for pasted files on the clipboard of the device. */
  ClipboardFiles: message(135, 'viewer', map({ contentId: integer, names: list(string, maxClipboardFiles) })),
  /** Outcome of a picture or of files of the viewer; `reason` of a failure. */
  ClipboardResult: message(136, 'device', map({ contentId: integer, reason: nullable(string) })),
  /** Asks for a folder that belongs to the user of this desktop. */
  RequestFolder: message(137, 'viewer', map({ purpose: oneOf(folderPurpose) })),
  Folder: message(138, 'device', map({ purpose: oneOf(folderPurpose), path: string, reason: nullable(string) })),
  /** Extension of this product: lets the viewer hear the device, or ends that. Off at first. */
  ToggleSound: message(140, 'viewer', toggle),
  SoundResult: message(141, 'device', toggleResult, { isState: true }),
  /** Packets of `sound.ts`, in order; silence and late packets are left out. Untrusted. */
  Sound: message(142, 'device', tuple({ packets: list(binary, maxSoundPackets) })),
} as const

export type Messages = typeof messages
export type MessageName = keyof Messages
export type Payload<N extends MessageName> = Value<Messages[N]['payload']>

type NamesFrom<F extends Message['from']> = {
  [N in MessageName]: Messages[N]['from'] extends F | 'both' ? N : never
}[MessageName]
/** Messages by sender; both send `Ack`. */
export type ViewerMessage = Exclude<NamesFrom<'viewer'>, 'Ack'>
export type DeviceMessage = Exclude<NamesFrom<'device'>, 'Ack'>

/** Message by name, without the types that differ between messages. */
export const messageOf = (name: MessageName): Message => messages[name] as unknown as Message

const byNumber = new Map(
  (Object.keys(messages) as MessageName[]).map((name) => [messages[name].number as number, name]),
)

/** Undefined for retired and unknown numbers. */
export const nameOf = (number: number): MessageName | undefined => byNumber.get(number)
