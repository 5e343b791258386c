/** Runs in Wine: prints the text in the window of Notepad as JSON, whenever the text has changed. Goes on until it is killed. */
import koffi from 'koffi'

const user32 = koffi.load('user32.dll')
const findWindow: (parent: number, after: number, className: string, title: null) => number = user32.func(
  'intptr __stdcall FindWindowExW(intptr parent, intptr after, const char16_t *className, const char16_t *title)',
)
const sendMessage: (window: number, message: number, size: number, text: Buffer) => number = user32.func(
  'intptr __stdcall SendMessageW(intptr window, uint32 message, uintptr size, void *text)',
)
/** `WM_GETTEXT` */
const getText = 0xd
const maxLength = 1000

let last = ''
setInterval(() => {
  const text = Buffer.alloc(2 * maxLength)
  const length = sendMessage(findWindow(findWindow(0, 0, 'Notepad', null), 0, 'Edit', null), getText, maxLength, text)
  const typed = text.toString('utf16le', 0, 2 * length)
  if (typed !== last) {
    last = typed
    process.stdout.write(`${JSON.stringify(typed)}\n`)
  }
}, 100)
