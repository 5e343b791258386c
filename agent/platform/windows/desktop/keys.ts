/** Key of a keyboard: scan code of set 1, with 0xe000 for extended keys. */
export interface WindowsKey {
  scanCode: number
  /** Virtual key; missing for keys whose virtual key depends on the layout. */
  virtualKey?: number
}

const rows: readonly (readonly [firstScanCode: number, codes: string])[] = [
  [0x02, 'Digit1 Digit2 Digit3 Digit4 Digit5 Digit6 Digit7 Digit8 Digit9 Digit0 Minus Equal'],
  [0x10, 'KeyQ KeyW KeyE KeyR KeyT KeyY KeyU KeyI KeyO KeyP BracketLeft BracketRight'],
  [0x1e, 'KeyA KeyS KeyD KeyF KeyG KeyH KeyJ KeyK KeyL Semicolon Quote Backquote'],
  [0x2b, 'Backslash KeyZ KeyX KeyC KeyV KeyB KeyN KeyM Comma Period Slash'],
  [0x56, 'IntlBackslash'],
  [0x73, 'IntlRo'],
  [0x7d, 'IntlYen'],
]

/** Keys with the same meaning in each layout: scan code and virtual key. */
const fixedKeys: Readonly<Record<string, readonly [scanCode: number, virtualKey: number]>> = {
  Escape: [0x01, 0x1b],
  Backspace: [0x0e, 0x08],
  Tab: [0x0f, 0x09],
  Enter: [0x1c, 0x0d],
  Space: [0x39, 0x20],
  ShiftLeft: [0x2a, 0xa0],
  ShiftRight: [0x36, 0xa1],
  ControlLeft: [0x1d, 0xa2],
  ControlRight: [0xe01d, 0xa3],
  AltLeft: [0x38, 0xa4],
  AltRight: [0xe038, 0xa5],
  MetaLeft: [0xe05b, 0x5b],
  MetaRight: [0xe05c, 0x5c],
  ContextMenu: [0xe05d, 0x5d],
  CapsLock: [0x3a, 0x14],
  NumLock: [0xe045, 0x90],
  ScrollLock: [0x46, 0x91],
  PrintScreen: [0xe037, 0x2c],
  Pause: [0x45, 0x13],
  Insert: [0xe052, 0x2d],
  Delete: [0xe053, 0x2e],
  Home: [0xe047, 0x24],
  End: [0xe04f, 0x23],
  PageUp: [0xe049, 0x21],
  PageDown: [0xe051, 0x22],
  ArrowUp: [0xe048, 0x26],
  ArrowDown: [0xe050, 0x28],
  ArrowLeft: [0xe04b, 0x25],
  ArrowRight: [0xe04d, 0x27],
  F11: [0x57, 0x7a],
  F12: [0x58, 0x7b],
  F24: [0x76, 0x87],
  NumpadEnter: [0xe01c, 0x0d],
  NumpadAdd: [0x4e, 0x6b],
  NumpadSubtract: [0x4a, 0x6d],
  NumpadMultiply: [0x37, 0x6a],
  NumpadDivide: [0xe035, 0x6f],
  NumpadDecimal: [0x53, 0x6e],
  Numpad0: [0x52, 0x60],
  Numpad1: [0x4f, 0x61],
  Numpad2: [0x50, 0x62],
  Numpad3: [0x51, 0x63],
  Numpad4: [0x4b, 0x64],
  Numpad5: [0x4c, 0x65],
  Numpad6: [0x4d, 0x66],
  Numpad7: [0x47, 0x67],
  Numpad8: [0x48, 0x68],
  Numpad9: [0x49, 0x69],
  AudioVolumeMute: [0xe020, 0xad],
  AudioVolumeDown: [0xe02e, 0xae],
  AudioVolumeUp: [0xe030, 0xaf],
  MediaTrackNext: [0xe019, 0xb0],
  MediaTrackPrevious: [0xe010, 0xb1],
  MediaStop: [0xe024, 0xb2],
  MediaPlayPause: [0xe022, 0xb3],
}

/** Key names without a position, as on-screen keyboards report them. */
const positionsOfNames: Readonly<Record<string, string>> = {
  Shift: 'ShiftLeft',
  Control: 'ControlLeft',
  Alt: 'AltLeft',
  AltGraph: 'AltRight',
  Meta: 'MetaLeft',
  ' ': 'Space',
}

const functionKeys = (first: number, last: number, scanCode: number) =>
  Array.from({ length: last - first + 1 }, (_, at): [string, WindowsKey] => [
    `F${first + at}`,
    { scanCode: scanCode + at, virtualKey: 0x6f + first + at },
  ])

const keys: ReadonlyMap<string, WindowsKey> = new Map([
  ...rows.flatMap(([first, codes]) =>
    codes.split(' ').map((code, at): [string, WindowsKey] => [code, { scanCode: first + at }]),
  ),
  ...functionKeys(1, 10, 0x3b),
  ...functionKeys(13, 23, 0x64),
  ...Object.entries(fixedKeys).map(([code, [scanCode, virtualKey]]): [string, WindowsKey] => [
    code,
    { scanCode, virtualKey },
  ]),
])

/** Key at this position (`KeyboardEvent.code`); for an unknown position the key with this name (`KeyboardEvent.key`). */
export const keyAt = (code: string, name: string): WindowsKey | undefined =>
  keys.get(code) ?? keys.get(positionsOfNames[name] ?? name)
