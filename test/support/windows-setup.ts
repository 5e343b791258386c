import { execFileSync } from 'node:child_process'
import { cpSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { root } from '../../tools/processes.mjs'

/**
 * Our part of the Windows installer, in declarations of electron-builder's scripts that it uses, without the plugins of
 * electron-builder's NSIS. For 64 bits, because Wine for 32 bits is not installed.
 */
const script = (kind: 'installer' | 'uninstaller') => `Target amd64-unicode
Name Farhand
OutFile ${kind}.exe
InstallDir "C:\\setup"
!include MUI2.nsh
!include LogicLib.nsh
!include FileFunc.nsh
!define PRODUCT_NAME Farhand
!define APP_ID io.farhand.appliance
!define APP_EXECUTABLE_FILENAME Farhand.exe
!define isUpdated \`"$updated" == "1"\`
${kind === 'uninstaller' ? '!define BUILD_UNINSTALLER' : ''}
!include windows.nsh
Var installMode
Var updated
${
  kind === 'installer'
    ? `!insertmacro customPageAfterChangeDir
!insertmacro MUI_PAGE_INSTFILES
!insertmacro MUI_LANGUAGE English
Section
  StrCpy $installMode all
  \${GetParameters} $R0
  ClearErrors
  \${GetOptions} $R0 "/currentuser" $R1
  \${ifNot} \${Errors}
    StrCpy $installMode CurrentUser
  \${endIf}
  StrCpy $updated 0
  SetOutPath $INSTDIR
  File Farhand.exe
  !insertmacro customInstall
SectionEnd`
    : `!insertmacro MUI_UNPAGE_INSTFILES
!insertmacro MUI_LANGUAGE English
Section
  WriteUninstaller "$INSTDIR\\un.exe"
SectionEnd
Section un.Farhand
  StrCpy $installMode all
  StrCpy $updated 0
  !insertmacro customUnInstall
SectionEnd`
}
`

/** Compiles `installer.exe` or `uninstaller.exe`, which writes `un.exe`, in a folder with the program `Farhand.exe`. */
export function compileSetup(folder: string, kind: 'installer' | 'uninstaller'): void {
  cpSync(path.join(root, 'resources', 'installer', 'windows.nsh'), path.join(folder, 'windows.nsh'))
  writeFileSync(path.join(folder, `${kind}.nsi`), script(kind))
  // electron-builder treats warnings as errors, too.
  execFileSync('makensis', ['-V2', '-WX', `${kind}.nsi`], { cwd: folder, stdio: 'pipe', encoding: 'utf8' })
}
