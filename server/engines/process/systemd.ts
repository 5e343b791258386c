import { join } from 'node:path'
import type { ServiceManager, ServiceSpec, Step } from './os-service.ts'

const unit = 'farhand-server.service'
const account = 'farhand'
const dataDirectory = '/var/lib/farhand'

const quote = (text: string) =>
  `"${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('%', '%%').replaceAll('$', '$$$$')}"`
/** Environment lines expand no variables. */
const assign = ([name, value]: [string, string]) => `Environment=${quote(`${name}=${value}`).replaceAll('$$', '$')}`

const isUnder = (path: string, folders: readonly string[]) => folders.some((folder) => path.startsWith(`${folder}/`))

/** Limits of a service of the whole computer: it may write its data folder, listen, and nothing else. */
const confined = ({ dataDirectory: data, command: [program, script = ''], account: own }: ServiceSpec) => `User=${own}
Group=${own}
RuntimeDirectory=farhand
RuntimeDirectoryMode=0755
CapabilityBoundingSet=CAP_NET_BIND_SERVICE
AmbientCapabilities=CAP_NET_BIND_SERVICE
ProtectSystem=strict
ProtectHome=${[program, script].some((path) => isUnder(path, ['/home', '/root'])) ? 'read-only' : 'yes'}
ReadWritePaths=${quote(data)}
PrivateTmp=yes
PrivateDevices=yes
ProtectClock=yes
ProtectControlGroups=yes
ProtectHostname=yes
ProtectKernelLogs=yes
ProtectKernelModules=yes
ProtectKernelTunables=yes
ProtectProc=invisible
RestrictAddressFamilies=AF_INET AF_INET6 AF_UNIX AF_NETLINK
RestrictNamespaces=yes
RestrictRealtime=yes
RestrictSUIDSGID=yes
LockPersonality=yes
SystemCallArchitectures=native
`

/** Unit of the server. The system starts it again after a crash, at most five times in ten minutes. */
export const unitText = (spec: ServiceSpec) => `[Unit]
Description=Farhand server
Wants=network-online.target
After=network-online.target
StartLimitIntervalSec=600
StartLimitBurst=5

[Service]
Type=exec
ExecStart=${spec.command.map(quote).join(' ')}
${Object.entries(spec.environment).map(assign).join('\n')}
Restart=on-failure
RestartSec=5
TimeoutStopSec=${spec.stopSeconds}
UMask=0077
NoNewPrivileges=yes
${spec.account === undefined ? '' : confined(spec)}
[Install]
WantedBy=${spec.account === undefined ? 'default.target' : 'multi-user.target'}
`

/** systemd: a service of the whole computer, or of one user. */
export function systemd(scope: 'system' | 'user', home: string): ServiceManager {
  const isUser = scope === 'user'
  const definition = join(isUser ? join(home, '.config/systemd/user') : '/etc/systemd/system', unit)
  const systemctl = (...args: string[]): readonly [string, ...string[]] => [
    'systemctl',
    ...(isUser ? ['--user'] : []),
    ...args,
  ]
  return {
    describe: `systemd ${isUser ? 'user ' : ''}service ${unit}`,
    account,
    windowFolder: '/run/farhand',
    dataDirectory,
    definition,
    windowOptions: ['--ozone-platform=headless', '--disable-gpu', '--no-sandbox'],
    keepsOutput: true,
    hasUserServices: true,
    install(spec) {
      const own: Step[] =
        spec.account === undefined
          ? [{ folder: join(home, '.config/systemd/user'), mode: 0o755 }]
          : [
              {
                run: ['useradd', '--system', '--home-dir', spec.dataDirectory, '--shell', '/usr/sbin/nologin', account],
                mayFail: true,
              },
              { unprepared: spec.dataDirectory, account },
              { folder: spec.dataDirectory, mode: 0o700 },
              { run: ['chown', '-hR', `${account}:${account}`, spec.dataDirectory] },
            ]
      return [
        ...own,
        { file: definition, content: unitText(spec), mode: 0o644 },
        { run: systemctl('daemon-reload') },
        { run: systemctl('enable', '--now', unit) },
        // Without lingering, the service ends with the user's last session. Enabling it may need an administrator.
        ...(isUser ? [{ run: ['loginctl', 'enable-linger'] as const, mayFail: true as const }] : []),
      ]
    },
    uninstall: () => [
      { run: systemctl('disable', '--now', unit), mayFail: true },
      { remove: definition },
      { run: systemctl('daemon-reload'), mayFail: true },
    ],
    status: systemctl('status', '--no-pager', unit),
  }
}
