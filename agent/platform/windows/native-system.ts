import { nativeFunctions } from '../../base/native-functions.ts'
import type { NativeSystem } from '../native/system.ts'
import type { ToolCommand, Tools } from '../native/tools.ts'

interface User32 {
  openInputDesktop: (flags: number, isInherited: boolean, access: number) => number
  closeDesktop: (desktop: number) => boolean
  blockInput: (isBlocked: boolean) => boolean
  setDpiAwareness: (context: number) => boolean
}

const functions = nativeFunctions((koffi): User32 => {
  const user32 = koffi.load('user32.dll')
  return {
    openInputDesktop: user32.func('intptr __stdcall OpenInputDesktop(uint32 flags, bool inherit, uint32 access)'),
    closeDesktop: user32.func('bool __stdcall CloseDesktop(intptr desktop)'),
    blockInput: user32.func('bool __stdcall BlockInput(bool isBlocked)'),
    setDpiAwareness: user32.func('bool __stdcall SetProcessDpiAwarenessContext(intptr context)'),
  }
})

const switchDesktop = 0x100
/** `DPI_AWARENESS_CONTEXT_PER_MONITOR_AWARE_V2`: otherwise Windows reports scaled sizes. */
const realPixels = -4
const secureDesktop =
  'Windows shows its secure desktop: the lock screen, or a question for the rights of an administrator. No program sees ' +
  'it; the person at the device has to answer.'

const powershell = (script: string): ToolCommand => ({
  file: 'powershell.exe',
  arguments: ['-NoProfile', '-NonInteractive', '-Sta', '-Command', script],
})

const utf8 = '[Console]::InputEncoding = [Console]::OutputEncoding = [Text.Encoding]::UTF8;'

const tools: Tools = {
  readText: powershell(`${utf8} [Console]::Write((Get-Clipboard -Raw))`),
  writeText: powershell(`${utf8} Set-Clipboard -Value ([Console]::In.ReadToEnd())`),
  // The text is passed as data and cannot become part of the script.
  showNotice: () =>
    powershell(
      `${utf8} Add-Type -AssemblyName System.Windows.Forms;` +
        '$form = New-Object System.Windows.Forms.Form -Property @{ TopMost = $true };' +
        '$label, $text = [Console]::In.ReadToEnd() -split "`n", 2;' +
        '$answer = [System.Windows.Forms.MessageBox]::Show($form, "$text`n`n$label" + "?", "Remote control", "YesNo", "Information", "Button2");' +
        'if ($answer -eq "Yes") { [Console]::Write($label) }',
    ),
}

export async function windowsSystem(): Promise<NativeSystem> {
  const { openInputDesktop, closeDesktop, blockInput, setDpiAwareness } = await functions()
  setDpiAwareness(realPixels)
  let isInputBlocked = false
  const hiddenBy = () => {
    const desktop = openInputDesktop(0, false, switchDesktop)
    if (desktop === 0) {
      return secureDesktop
    }
    closeDesktop(desktop)
    return undefined
  }
  return {
    captureMode: 'GDI',
    unitsPerNotch: 120,
    tools,
    problem: hiddenBy,
    hiddenBy,
    // Windows allows blocking only for elevated programs; Ctrl+Alt+Del ends the block.
    blockInput(isBlocked) {
      isInputBlocked = blockInput(isBlocked) ? isBlocked : isInputBlocked
      return isInputBlocked
    },
  }
}
