import type { KoffiFunc } from 'koffi'
import { nativeFunctions, type Koffi } from '../../../base/native-functions.ts'
import type { Address, Handle, Out } from '../library.ts'

export interface Point {
  x: number
  y: number
}

interface Rect {
  left: number
  top: number
  right: number
  bottom: number
}

export interface MonitorInfo {
  cbSize: number
  rcMonitor: Rect
  rcWork: Rect
  dwFlags: number
  szDevice: string
}

export interface WindowMessage {
  hwnd: Handle
  message: number
  wParam: number
  lParam: number
}

export interface CursorInfo {
  cbSize: number
  flags: number
  hCursor: Handle
  ptScreenPos: Point
}

export interface IconInfo {
  fIcon: number
  xHotspot: number
  yHotspot: number
  hbmMask: Handle
  hbmColor: Handle
}

/** Members that this product leaves empty are missing here. */
interface WindowClass {
  cbSize: number
  lpfnWndProc: Address
  hCursor: Handle
  hbrBackground: Handle
  lpszClassName: string
}

interface WinUser {
  sizes: { monitorInfo: number; cursorInfo: number; windowClass: number }
  setProcessDpiAwarenessContext: (context: number) => boolean
  openInputDesktop: (flags: number, isInherited: boolean, access: number) => Handle
  /** Fails if the thread has windows. */
  setThreadDesktop: (desktop: Handle) => boolean
  getUserObjectInformation: (
    object: Handle,
    kind: number,
    value: Buffer,
    byteCount: number,
    needed: Out<number>,
  ) => boolean
  closeDesktop: (desktop: Handle) => boolean
  blockInput: (isBlocked: boolean) => boolean
  enumDisplayMonitors: (dc: 0, clip: null, each: (monitor: Handle) => boolean, data: 0) => boolean
  getMonitorInfo: (monitor: Handle, info: Partial<MonitorInfo>) => boolean
  getSystemMetrics: (index: number) => number
  getDc: (window: Handle) => Handle
  releaseDc: (window: Handle, dc: Handle) => number
  registerClass: (description: WindowClass) => number
  createWindow: (
    extendedStyle: number,
    className: string,
    title: string,
    style: number,
    x: number,
    y: number,
    width: number,
    height: number,
    parent: Handle,
    menu: 0,
    instance: 0,
    parameter: null,
  ) => Handle
  destroyWindow: (window: Handle) => boolean
  showWindow: (window: Handle, command: number) => boolean
  setWindowPos: (
    window: Handle,
    after: Handle,
    x: number,
    y: number,
    width: number,
    height: number,
    flags: number,
  ) => boolean
  setLayeredWindowAttributes: (window: Handle, key: number, alpha: number, flags: number) => boolean
  updateLayeredWindow: (
    window: Handle,
    screen: 0,
    position: Point,
    size: { cx: number; cy: number },
    source: Handle,
    from: Point,
    key: 0,
    blend: null,
    flags: number,
  ) => boolean
  isWindowVisible: (window: Handle) => boolean
  setWindowDisplayAffinity: (window: Handle, affinity: number) => boolean
  getWindowDisplayAffinity: (window: Handle, affinity: Out<number>) => boolean
  peekMessage: (message: Partial<WindowMessage>, window: 0, first: 0, last: 0, remove: number) => boolean
  dispatchMessage: (message: Partial<WindowMessage>) => number
  addClipboardFormatListener: (window: Handle) => boolean
  removeClipboardFormatListener: (window: Handle) => boolean
  openClipboard: (window: Handle) => boolean
  closeClipboard: () => boolean
  emptyClipboard: () => boolean
  getClipboardOwner: () => Handle
  /** Returns the number of a format by its name, for all programs of the session. */
  registerClipboardFormat: (name: string) => number
  isClipboardFormatAvailable: (format: number) => boolean
  getClipboardData: (format: number) => Handle
  /** Returns 0 if the window does not answer in time. */
  sendMessageTimeout: KoffiFunc<
    (window: Handle, message: number, wParam: 0, lParam: 0, flags: number, timeoutMs: number, answer: null) => number
  >
  setClipboardData: (format: number, memory: Handle) => Handle
  /** `inputs` is an array of `INPUT`. */
  sendInput: (count: number, inputs: Buffer, size: number) => number
  mapVirtualKey: (code: number, kind: number) => number
  vkKeyScan: (character: number) => number
  getCursorPos: (point: Partial<Point>) => boolean
  getCursorInfo: (info: Partial<CursorInfo>) => boolean
  getIconInfo: (icon: Handle, info: Partial<IconInfo>) => boolean
  loadCursor: (instance: 0, id: number) => Handle
}

/** Declares the structures, and returns the sizes that structures carry themselves. */
function declareTypes(koffi: Koffi): WinUser['sizes'] {
  koffi.struct('POINT', { x: 'int', y: 'int' })
  koffi.struct('SIZE', { cx: 'int', cy: 'int' })
  koffi.struct('RECT', { left: 'int', top: 'int', right: 'int', bottom: 'int' })
  const monitorInfo = koffi.struct('MONITORINFOEXW', {
    cbSize: 'uint32',
    rcMonitor: 'RECT',
    rcWork: 'RECT',
    dwFlags: 'uint32',
    szDevice: koffi.array('char16', 32, 'String'),
  })
  const cursorInfo = koffi.struct('CURSORINFO', {
    cbSize: 'uint32',
    flags: 'uint32',
    hCursor: 'intptr',
    ptScreenPos: 'POINT',
  })
  koffi.struct('ICONINFO', {
    fIcon: 'int',
    xHotspot: 'uint32',
    yHotspot: 'uint32',
    hbmMask: 'intptr',
    hbmColor: 'intptr',
  })
  koffi.struct('MSG', {
    hwnd: 'intptr',
    message: 'uint32',
    wParam: 'uintptr',
    lParam: 'intptr',
    time: 'uint32',
    pt: 'POINT',
  })
  const windowClass = koffi.struct('WNDCLASSEXW', {
    cbSize: 'uint32',
    style: 'uint32',
    lpfnWndProc: 'void *',
    cbClsExtra: 'int',
    cbWndExtra: 'int',
    hInstance: 'intptr',
    hIcon: 'intptr',
    hCursor: 'intptr',
    hbrBackground: 'intptr',
    lpszMenuName: 'str16',
    lpszClassName: 'str16',
    hIconSm: 'intptr',
  })
  koffi.proto('bool __stdcall MonitorEnumProc(intptr monitor, intptr dc, void *area, intptr data)')
  return {
    monitorInfo: koffi.sizeof(monitorInfo),
    cursorInfo: koffi.sizeof(cursorInfo),
    windowClass: koffi.sizeof(windowClass),
  }
}

export const winuser = nativeFunctions((koffi): WinUser => {
  const user32 = koffi.load('user32.dll')
  const sizes = declareTypes(koffi)
  return {
    sizes,
    setProcessDpiAwarenessContext: user32.func('bool __stdcall SetProcessDpiAwarenessContext(intptr context)'),
    openInputDesktop: user32.func('intptr __stdcall OpenInputDesktop(uint32 flags, bool inherit, uint32 access)'),
    setThreadDesktop: user32.func('bool __stdcall SetThreadDesktop(intptr desktop)'),
    getUserObjectInformation: user32.func(
      'bool __stdcall GetUserObjectInformationW(intptr object, int kind, void *value, uint32 bytes, _Out_ uint32 *needed)',
    ),
    closeDesktop: user32.func('bool __stdcall CloseDesktop(intptr desktop)'),
    blockInput: user32.func('bool __stdcall BlockInput(bool isBlocked)'),
    enumDisplayMonitors: user32.func(
      'bool __stdcall EnumDisplayMonitors(intptr dc, void *clip, MonitorEnumProc *each, intptr data)',
    ),
    getMonitorInfo: user32.func('bool __stdcall GetMonitorInfoW(intptr monitor, _Inout_ MONITORINFOEXW *info)'),
    getSystemMetrics: user32.func('int __stdcall GetSystemMetrics(int index)'),
    getDc: user32.func('intptr __stdcall GetDC(intptr window)'),
    releaseDc: user32.func('int __stdcall ReleaseDC(intptr window, intptr dc)'),
    registerClass: user32.func('uint16 __stdcall RegisterClassExW(WNDCLASSEXW *description)'),
    createWindow: user32.func(
      'intptr __stdcall CreateWindowExW(uint32 extendedStyle, str16 className, str16 title, uint32 style, int x, int y, int width, int height, intptr parent, intptr menu, intptr instance, void *parameter)',
    ),
    destroyWindow: user32.func('bool __stdcall DestroyWindow(intptr window)'),
    showWindow: user32.func('bool __stdcall ShowWindow(intptr window, int command)'),
    setWindowPos: user32.func(
      'bool __stdcall SetWindowPos(intptr window, intptr after, int x, int y, int width, int height, uint32 flags)',
    ),
    setLayeredWindowAttributes: user32.func(
      'bool __stdcall SetLayeredWindowAttributes(intptr window, uint32 key, uint8 alpha, uint32 flags)',
    ),
    updateLayeredWindow: user32.func(
      'bool __stdcall UpdateLayeredWindow(intptr window, intptr screen, POINT *position, SIZE *size, intptr source, POINT *from, uint32 key, void *blend, uint32 flags)',
    ),
    isWindowVisible: user32.func('bool __stdcall IsWindowVisible(intptr window)'),
    setWindowDisplayAffinity: user32.func('bool __stdcall SetWindowDisplayAffinity(intptr window, uint32 affinity)'),
    getWindowDisplayAffinity: user32.func(
      'bool __stdcall GetWindowDisplayAffinity(intptr window, _Out_ uint32 *affinity)',
    ),
    peekMessage: user32.func(
      'bool __stdcall PeekMessageW(_Out_ MSG *message, intptr window, uint32 first, uint32 last, uint32 remove)',
    ),
    dispatchMessage: user32.func('intptr __stdcall DispatchMessageW(MSG *message)'),
    addClipboardFormatListener: user32.func('bool __stdcall AddClipboardFormatListener(intptr window)'),
    removeClipboardFormatListener: user32.func('bool __stdcall RemoveClipboardFormatListener(intptr window)'),
    openClipboard: user32.func('bool __stdcall OpenClipboard(intptr window)'),
    closeClipboard: user32.func('bool __stdcall CloseClipboard()'),
    emptyClipboard: user32.func('bool __stdcall EmptyClipboard()'),
    getClipboardOwner: user32.func('intptr __stdcall GetClipboardOwner()'),
    registerClipboardFormat: user32.func('uint32 __stdcall RegisterClipboardFormatW(str16 name)'),
    isClipboardFormatAvailable: user32.func('bool __stdcall IsClipboardFormatAvailable(uint32 format)'),
    getClipboardData: user32.func('intptr __stdcall GetClipboardData(uint32 format)'),
    sendMessageTimeout: user32.func(
      'intptr __stdcall SendMessageTimeoutW(intptr window, uint32 message, uintptr wParam, intptr lParam, uint32 flags, uint32 timeout, void *answer)',
    ),
    setClipboardData: user32.func('intptr __stdcall SetClipboardData(uint32 format, intptr memory)'),
    sendInput: user32.func('uint32 __stdcall SendInput(uint32 count, void *inputs, int size)'),
    mapVirtualKey: user32.func('uint32 __stdcall MapVirtualKeyW(uint32 code, uint32 kind)'),
    vkKeyScan: user32.func('int16 __stdcall VkKeyScanW(uint16 character)'),
    getCursorPos: user32.func('bool __stdcall GetCursorPos(_Out_ POINT *point)'),
    getCursorInfo: user32.func('bool __stdcall GetCursorInfo(_Inout_ CURSORINFO *info)'),
    getIconInfo: user32.func('bool __stdcall GetIconInfo(intptr icon, _Out_ ICONINFO *info)'),
    loadCursor: user32.func('intptr __stdcall LoadCursorW(intptr instance, intptr id)'),
  }
})
