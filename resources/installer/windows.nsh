# What the Windows installer adds to electron-builder's: the service as a choice, and an uninstaller that removes what
# the program has left outside its folder and asks about the data. /SERVICE chooses the service in a silent installation.

!include LogicLib.nsh
!include FileFunc.nsh

!ifndef BUILD_UNINSTALLER
  !include nsDialogs.nsh

  Var isServiceWanted
  Var serviceBox

  !macro customPageAfterChangeDir
    Page custom servicePage servicePageLeave

    Function servicePage
      # A service must not run a program that a user without rights can replace: only an installation for all has one.
      ${if} $installMode != "all"
      ${orIf} ${isUpdated}
        Abort
      ${endIf}
      !insertmacro MUI_HEADER_TEXT "Start of the server" "Choose when the server of Farhand runs."
      nsDialogs::Create 1018
      Pop $0
      ${NSD_CreateCheckbox} 0 0 100% 12u "Run the server as a service of this computer"
      Pop $serviceBox
      ${NSD_SetState} $serviceBox $isServiceWanted
      ${NSD_CreateLabel} 12u 16u 100% 48u "The service starts with the computer, also when nobody is signed in, and has an account of its own. Without it, the server runs while the window of Farhand is open or in the tray. You can change that later with the command: Farhand service install"
      Pop $0
      nsDialogs::Show
    FunctionEnd

    Function servicePageLeave
      ${NSD_GetState} $serviceBox $isServiceWanted
    FunctionEnd
  !macroend

  !macro customInstall
    ${GetParameters} $R0
    ClearErrors
    ${GetOptions} $R0 "/SERVICE" $R1
    ${ifNot} ${Errors}
      StrCpy $isServiceWanted 1
    ${endIf}
    ${if} $installMode == "all"
      ${if} $isServiceWanted == 1
        DetailPrint "Installing the service"
        nsExec::ExecToLog '"$INSTDIR\${APP_EXECUTABLE_FILENAME}" service install'
        Pop $0
        ${if} $0 != 0
          # A silent installation shows no message: the program is there, and the service is not.
          SetErrorLevel 3
          MessageBox MB_OK|MB_ICONEXCLAMATION "The service was not installed. The program works without it. To see why, run as administrator: $\"$INSTDIR\${APP_EXECUTABLE_FILENAME}$\" service install" /SD IDOK
        ${endIf}
      ${elseIf} ${isUpdated}
        # Stopped by the uninstaller of the version before. Fails where there is none.
        nsExec::Exec '"$SYSDIR\net.exe" start Farhand'
        Pop $0
      ${endIf}
    ${elseIf} $isServiceWanted == 1
      # Without /allusers.
      SetErrorLevel 3
    ${endIf}
  !macroend
!endif

!macro customUnInstall
  ${if} ${isUpdated}
    # The files of a running program cannot be replaced.
    nsExec::Exec '"$SYSDIR\net.exe" stop Farhand'
    Pop $0
  ${else}
    ${if} $installMode == "all"
      DetailPrint "Removing the service and the firewall rule"
      nsExec::ExecToLog '"$INSTDIR\${APP_EXECUTABLE_FILENAME}" service uninstall'
      Pop $0
      RMDir /r "$PROGRAMFILES64\Farhand Service"
      nsExec::Exec '"$SYSDIR\netsh.exe" advfirewall firewall delete rule name=Farhand'
      Pop $0
    ${endIf}
    # Start at login, and links farhand://, by the names that Electron gives them.
    DeleteRegValue HKCU "Software\Microsoft\Windows\CurrentVersion\Run" "electron.app.${PRODUCT_NAME}"
    DeleteRegValue HKCU "Software\Microsoft\Windows\CurrentVersion\Run" "${APP_ID}"
    DeleteRegValue HKCU "Software\Microsoft\Windows\CurrentVersion\Explorer\StartupApproved\Run" "electron.app.${PRODUCT_NAME}"
    DeleteRegValue HKCU "Software\Microsoft\Windows\CurrentVersion\Explorer\StartupApproved\Run" "${APP_ID}"
    DeleteRegKey HKCU "Software\Classes\farhand"
    # Copies of versions, for updates and their way back.
    SetShellVarContext current
    RMDir /r "$LOCALAPPDATA\${PRODUCT_NAME}\program\versions"
    ${if} $installMode == "all"
      SetShellVarContext all
    ${endIf}
    # Kept unless somebody says otherwise, also when nobody can be asked.
    MessageBox MB_YESNO|MB_ICONQUESTION|MB_DEFBUTTON2 "Delete the data of Farhand as well: accounts, devices, keys and settings?$\r$\n$\r$\nWithout the data and without a backup, every device must be enrolled again. Choose No to keep it for a later installation." /SD IDNO IDNO keepData
    SetShellVarContext current
    RMDir /r "$APPDATA\${PRODUCT_NAME}"
    RMDir /r "$LOCALAPPDATA\${PRODUCT_NAME}"
    ${if} $installMode == "all"
      SetShellVarContext all
      RMDir /r "$APPDATA\${PRODUCT_NAME}"
    ${endIf}
    keepData:
  ${endIf}
!macroend
