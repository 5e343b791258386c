/** Maps key positions as browsers name them to the package's key names. */
const namedKeys: Readonly<Record<string, string>> = {
  Escape: 'escape',
  Enter: 'enter',
  NumpadEnter: 'enter',
  Tab: 'tab',
  Backspace: 'backspace',
  Space: 'space',
  Delete: 'delete',
  Insert: 'insert',
  Home: 'home',
  End: 'end',
  PageUp: 'pageup',
  PageDown: 'pagedown',
  ArrowUp: 'up',
  ArrowDown: 'down',
  ArrowLeft: 'left',
  ArrowRight: 'right',
  CapsLock: 'capslock',
  NumLock: 'numpad_lock',
  ScrollLock: 'scroll_lock',
  PrintScreen: 'printscreen',
  ContextMenu: 'menu',
  ShiftLeft: 'shift',
  ShiftRight: 'right_shift',
  ControlLeft: 'left_control',
  ControlRight: 'right_control',
  AltLeft: 'alt',
  AltRight: 'right_alt',
  MetaLeft: 'command',
  MetaRight: 'command',
  NumpadAdd: 'numpad_+',
  NumpadSubtract: 'numpad_-',
  NumpadMultiply: 'numpad_*',
  NumpadDivide: 'numpad_/',
  NumpadDecimal: 'numpad_.',
  AudioVolumeMute: 'audio_mute',
  AudioVolumeDown: 'audio_vol_down',
  AudioVolumeUp: 'audio_vol_up',
  MediaPlayPause: 'audio_play',
  MediaStop: 'audio_stop',
  MediaTrackNext: 'audio_next',
  MediaTrackPrevious: 'audio_prev',
  Minus: '-',
  Equal: '=',
  BracketLeft: '[',
  BracketRight: ']',
  Backslash: '\\',
  Semicolon: ';',
  Quote: "'",
  Backquote: '`',
  Comma: ',',
  Period: '.',
  Slash: '/',
  Shift: 'shift',
  Control: 'left_control',
  Alt: 'alt',
  AltGraph: 'right_alt',
  Meta: 'command',
}

const functionKey = /^F([1-9]|1\d|2[0-4])$/

function nameOf(code: string): string | undefined {
  const plain = /^(?:Key([A-Z])|Digit(\d)|Numpad(\d))$/.exec(code)
  if (plain) {
    const [, letter, digit, pad] = plain
    return letter?.toLowerCase() ?? digit ?? `numpad_${pad ?? ''}`
  }
  return functionKey.test(code) ? code.toLowerCase() : namedKeys[code]
}

/** Key at this position; for an unknown position the key with this name (`KeyboardEvent.key`). */
export const keyNameOf = (code: string, key: string): string | undefined => nameOf(code) ?? nameOf(key)
