import type { EventEmitter } from 'node:events'
// @ts-expect-error The package has no types; those below are what is used of it.
import untyped from 'x11'
import type { Rectangle } from '../../desktop/desktop.ts'

/** Callback of a request; returns true to mark the error as handled. */
type Callback<T> = (error: unknown, result: T) => boolean

interface Extension {
  majorOpcode: number
  firstEvent: number
}

export interface SharedMemory extends Extension {
  AttachFd(segment: number, fd: number, isReadOnly: boolean, callback: (error: unknown) => boolean): void
  Detach(segment: number): void
  GetImage(
    drawable: number,
    x: number,
    y: number,
    width: number,
    height: number,
    planes: number,
    format: number,
    segment: number,
    offset: number,
    callback: Callback<{ size: number }>,
  ): void
}

export interface Damage extends Extension {
  ReportLevel: { NonEmpty: number }
  Create(damage: number, drawable: number, level: number): void
  Subtract(damage: number, repair: number, parts: number): void
  Destroy(damage: number): void
}

export interface CursorImage {
  width: number
  height: number
  xhot: number
  yhot: number
  /** Pixels as BGRA with premultiplied alpha. */
  cursorImage: Buffer
  cursorName: string
}

export interface Fixes extends Extension {
  SelectSelectionInput(window: number, selection: number, mask: number): void
  SelectCursorInput(window: number, mask: number): void
  CreateRegion(region: number, boxes: readonly Rectangle[]): void
  DestroyRegion(region: number): void
  FetchRegion(region: number, callback: Callback<{ rectangles: readonly Rectangle[] }>): void
  GetCursorImageAndName(callback: Callback<CursorImage>): void
}

export interface Randr extends Extension {
  minor_version: number
  SelectInput(window: number, mask: number): void
}

export interface Test extends Extension {
  FakeInput(type: number, detail: number, delayMs: number, window: number, x: number, y: number): void
  GrabControl(isImpervious: boolean): void
}

export interface Xkb extends Extension {
  UseCoreKbd: number
  SelectEvents(
    device: number,
    affected: number,
    cleared: number,
    selected: number,
    affectedMaps: number,
    maps: number,
  ): void
  GetState(device: number, callback: Callback<{ group: number; lockedMods: number }>): void
}

export interface InputDevice {
  deviceId: number
  /** 1 and 2: master pointer and keyboard; 3 and 4: physical devices. */
  use: number
  enabled: number
  name: string
}

export interface XInput extends Extension {
  /** Null on display servers without XInput 2. */
  xi2: object | null
  XIQueryDevice(device: number, callback: Callback<readonly InputDevice[]>): void
  XISelectEvents(window: number, mask: { deviceId: number; mask: number }): void
}

export interface Extensions {
  shm: SharedMemory
  damage: Damage
  fixes: Fixes
  randr: Randr
  xtest: Test
  xkb: Xkb
  xinput: XInput
}

/** Event of the display server; the members depend on `name`. */
export interface Event {
  type: number
  name?: string
  seq: number
  rawData: Buffer
  wid: number
  atom: number
  state: number
  time: number
  owner: number
  requestor: number
  selection: number
  target: number
  property: number
  damage: number
  keycode: number
  x: number
  y: number
  width: number
  height: number
  request: number
  extension: number
}

export interface PixelFormat {
  bits_per_pixel: number
}

export interface RootScreen {
  root: number
  root_depth: number
  root_visual: number
  pixel_width: number
  pixel_height: number
  depths: Record<number, Record<number, { red_mask: number; blue_mask: number }>>
}

export interface Server {
  screen: readonly RootScreen[]
  format: Record<number, PixelFormat>
  image_byte_order: number
  min_keycode: number
  max_keycode: number
  max_request_length: number
}

export interface Client extends EventEmitter<{ event: [Event]; error: [Error]; end: []; connect: [] }> {
  seq_num: number
  replies: Record<number, [(body: Buffer, detail: number) => unknown, Callback<never>]>
  pack_stream: {
    put(request: Buffer): void
    submit(expectsReply?: boolean): void
    write(received: Buffer): void
  }
  atoms: Record<string, number>
  startHandshake(): void
  stream: NodeJS.WritableStream & EventEmitter & { destroy(): void }
  AllocID(): number
  ReleaseID(id: number): void
  require<Name extends keyof Extensions>(
    name: Name,
    callback: (error: unknown, extension: Extensions[Name]) => void,
  ): void
  terminate(): void
  InternAtom(onlyIfExists: boolean, name: string, callback: Callback<number>): void
  GetAtomName(atom: number, callback: Callback<string>): void
  GetInputFocus(callback: Callback<unknown>): void
  GetImage(
    format: number,
    drawable: number,
    x: number,
    y: number,
    width: number,
    height: number,
    planes: number,
    callback: Callback<{ data: Buffer }>,
  ): void
  GetGeometry(drawable: number, callback: Callback<{ width: number; height: number }>): void
  CreateWindow(
    id: number,
    parent: number,
    x: number,
    y: number,
    width: number,
    height: number,
    borderWidth: number,
    depth: number,
    kind: number,
    visual: number,
    values: Record<string, number>,
  ): void
  ChangeWindowAttributes(window: number, values: Record<string, number>): void
  ConfigureWindow(window: number, values: Record<string, number>): void
  DestroyWindow(window: number): void
  MapWindow(window: number): void
  CreatePixmap(id: number, drawable: number, depth: number, width: number, height: number): void
  FreePixmap(id: number): void
  CreateGC(id: number, drawable: number, values: Record<string, number>): void
  ChangeGC(id: number, values: Record<string, number>): void
  FreeGC(id: number): void
  OpenFont(id: number, name: string): void
  CloseFont(id: number): void
  PolyFillRectangle(drawable: number, gc: number, rectangles: readonly number[]): void
  ImageText8(drawable: number, gc: number, x: number, y: number, text: string): void
  PutImage(
    format: number,
    drawable: number,
    gc: number,
    width: number,
    height: number,
    x: number,
    y: number,
    leftPad: number,
    depth: number,
    pixels: Buffer,
  ): void
  ChangeProperty(
    mode: number,
    window: number,
    property: number,
    type: number,
    format: number,
    value: Buffer | readonly number[],
  ): void
  DeleteProperty(window: number, property: number): void
  GetProperty(
    isDeleted: number,
    window: number,
    property: number,
    type: number,
    offset: number,
    length: number,
    callback: Callback<{ type: number; format: number; bytesAfter: number; data: Buffer }>,
  ): void
  SetSelectionOwner(owner: number, selection: number, time: number): void
  GetSelectionOwner(selection: number, callback: Callback<number>): void
  ConvertSelection(requestor: number, selection: number, target: number, property: number, time: number): void
  SendEvent(window: number, propagates: number, mask: number, event: Record<string, string | number>): void
  ChangeKeyboardMapping(first: number, perKeycode: number, keysyms: readonly number[]): void
  GetKeyboardMapping(first: number, count: number, callback: Callback<readonly (readonly number[])[]>): void
  GetModifierMapping(callback: Callback<readonly (readonly number[])[]>): void
}

interface Options {
  display: string
  auth: { name: string; data: string }
  bufferRequests: boolean
}

interface Package {
  createClient(options: Options, callback: (error: unknown, server: Server) => void): Client
  eventMask: Record<string, number>
  keySyms: Record<string, { code: number; description: string | null }>
}

export const x11 = untyped as Package
