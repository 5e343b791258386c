import type { ServiceManager, ServiceSpec } from './os-service.ts'

const label = 'io.farhand.server'
const definition = `/Library/LaunchDaemons/${label}.plist`
const account = '_farhand'
const dataDirectory = '/Library/Application Support/Farhand'
const windowFolder = '/Library/Application Support/Farhand Window'
/** Between 450 and 499, where macOS expects accounts of services. */
const accountId = '478'

const xml = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')

/** Property list of the daemon. launchd starts it at boot, and again after a crash, at most every ten seconds. */
export const plistText = ({
  command,
  environment,
  account: own,
  stopSeconds,
}: ServiceSpec) => `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0">
<dict>
  <key>Label</key>
  <string>${label}</string>
  <key>ProgramArguments</key>
  <array>
${command.map((argument) => `    <string>${xml(argument)}</string>`).join('\n')}
  </array>
  <key>EnvironmentVariables</key>
  <dict>
${Object.entries(environment)
  .map(([name, value]) => `    <key>${xml(name)}</key>\n    <string>${xml(value)}</string>`)
  .join('\n')}
  </dict>
  <key>UserName</key>
  <string>${xml(own ?? account)}</string>
  <key>RunAtLoad</key>
  <true/>
  <key>KeepAlive</key>
  <dict>
    <key>SuccessfulExit</key>
    <false/>
  </dict>
  <key>ThrottleInterval</key>
  <integer>10</integer>
  <key>ExitTimeOut</key>
  <integer>${stopSeconds}</integer>
  <key>Umask</key>
  <integer>63</integer>
</dict>
</plist>
`

/** launchd: a daemon of the whole computer, which runs without anybody signed in. */
export const launchd: ServiceManager = {
  describe: `launchd daemon ${label}`,
  account,
  windowFolder,
  dataDirectory,
  definition,
  windowOptions: [],
  keepsOutput: false,
  hasUserServices: false,
  install: (spec) => [
    {
      run: [
        'sysadminctl',
        '-addUser',
        account,
        '-UID',
        accountId,
        '-fullName',
        'Farhand server',
        '-shell',
        '/usr/bin/false',
        '-home',
        '/var/empty',
        '-roleAccount',
      ],
      mayFail: true,
    },
    { unprepared: spec.dataDirectory, account },
    { folder: spec.dataDirectory, mode: 0o700 },
    { run: ['chown', '-hR', account, spec.dataDirectory] },
    { folder: windowFolder, mode: 0o755 },
    { run: ['chown', account, windowFolder] },
    { file: definition, content: plistText(spec), mode: 0o644 },
    { run: ['launchctl', 'bootout', `system/${label}`], mayFail: true },
    { run: ['launchctl', 'bootstrap', 'system', definition] },
  ],
  uninstall: () => [{ run: ['launchctl', 'bootout', `system/${label}`], mayFail: true }, { remove: definition }],
  status: ['launchctl', 'print', `system/${label}`],
}
