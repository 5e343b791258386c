import { userInfo } from 'node:os'
import { environment, inheritedEnvironment } from '../../base/environment.ts'
import type { TerminalRules } from '../platform.ts'
import { isProgram, unixShells } from './shells.ts'

const inherited = () => inheritedEnvironment(/^(PATH|LANG|LC_\w+|TZ|XDG_RUNTIME_DIR|DISPLAY|DBUS_SESSION_BUS_ADDRESS)$/)

/** Terminal rules that Linux and macOS share, with the system's locale and its choice of a login shell. */
export const unixTerminals = (locale: string, chooseShell: (ofUser: string) => string): TerminalRules => ({
  shells: unixShells,
  loginShell: () => chooseShell(userInfo().shell ?? ''),
  inherited,
  environment(shell) {
    const { username } = userInfo()
    return {
      PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
      // Without a UTF-8 locale, programs print borders and umlauts as question marks.
      LANG: locale,
      ...inherited(),
      HOME: environment.home,
      USER: username,
      LOGNAME: username,
      SHELL: shell,
      TERM: 'xterm-256color',
      COLORTERM: 'truecolor',
    }
  },
  killSignal: (signal) => signal,
})

/** Returns the user's login shell, or the first of the usual shells if the account has none. */
export const loginShellOf = (
  ofUser: string,
  usual: readonly string[] = [],
  isThere: (file: string) => boolean = isProgram,
): string =>
  [...(/(nologin|false)$/.test(ofUser) ? [] : [ofUser]), ...usual, '/bin/bash', '/bin/sh'].find(isThere) ?? '/bin/sh'
