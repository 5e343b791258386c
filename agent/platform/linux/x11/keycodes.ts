/** Maps key positions as browsers name them (`KeyboardEvent.code`) to the keycodes of X display servers on Linux. */

/** Codes of adjacent keys, by the first keycode. */
const rows: readonly (readonly [first: number, codes: string])[] = [
  [9, 'Escape Digit1 Digit2 Digit3 Digit4 Digit5 Digit6 Digit7 Digit8 Digit9 Digit0 Minus Equal Backspace'],
  [23, 'Tab KeyQ KeyW KeyE KeyR KeyT KeyY KeyU KeyI KeyO KeyP BracketLeft BracketRight Enter'],
  [37, 'ControlLeft KeyA KeyS KeyD KeyF KeyG KeyH KeyJ KeyK KeyL Semicolon Quote Backquote'],
  [50, 'ShiftLeft Backslash KeyZ KeyX KeyC KeyV KeyB KeyN KeyM Comma Period Slash ShiftRight NumpadMultiply'],
  [64, 'AltLeft Space CapsLock F1 F2 F3 F4 F5 F6 F7 F8 F9 F10 NumLock ScrollLock'],
  [79, 'Numpad7 Numpad8 Numpad9 NumpadSubtract Numpad4 Numpad5 Numpad6 NumpadAdd'],
  [87, 'Numpad1 Numpad2 Numpad3 Numpad0 NumpadDecimal'],
  [93, 'Lang5 IntlBackslash F11 F12 IntlRo Lang3 Lang4 Convert KanaMode NonConvert'],
  [104, 'NumpadEnter ControlRight NumpadDivide PrintScreen AltRight'],
  [110, 'Home ArrowUp PageUp ArrowLeft ArrowRight End ArrowDown PageDown Insert Delete'],
  [121, 'AudioVolumeMute AudioVolumeDown AudioVolumeUp Power NumpadEqual'],
  [127, 'Pause'],
  [129, 'NumpadComma Lang1 Lang2 IntlYen MetaLeft MetaRight ContextMenu'],
  [136, 'BrowserStop Again Props Undo Select Copy Open Paste Find Cut Help'],
  [148, 'LaunchApp2'],
  [150, 'Sleep WakeUp'],
  [156, 'LaunchApp1'],
  [163, 'LaunchMail BrowserFavorites'],
  [166, 'BrowserBack BrowserForward'],
  [169, 'Eject'],
  [171, 'MediaTrackNext MediaPlayPause MediaTrackPrevious MediaStop'],
  [179, 'MediaSelect BrowserHome BrowserRefresh'],
  [187, 'NumpadParenLeft NumpadParenRight'],
  [191, 'F13 F14 F15 F16 F17 F18 F19 F20 F21 F22 F23 F24'],
  [225, 'BrowserSearch'],
]

const keycodes: ReadonlyMap<string, number> = new Map(
  rows.flatMap(([first, codes]) => codes.split(' ').map((code, index) => [code, first + index])),
)

/** Codes for key names that differ from the code. */
const codesOfNames: Readonly<Record<string, string>> = {
  Shift: 'ShiftLeft',
  Control: 'ControlLeft',
  Alt: 'AltLeft',
  AltGraph: 'AltRight',
  Meta: 'MetaLeft',
  OS: 'MetaLeft',
  ' ': 'Space',
}

/** Keycode at this position; for an unknown position the key with this name (`KeyboardEvent.key`). */
export const keycodeOf = (code: string, key: string): number | undefined =>
  keycodes.get(code) ?? keycodes.get(codesOfNames[key] ?? key)
