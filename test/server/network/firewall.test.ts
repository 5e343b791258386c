import { describe, expect, test } from 'vitest'
import { firewallOf, type Machine } from '../../../server/network/firewall.ts'

/** Machine with these files, and these outputs of programs, such as `systemctl is-active ufw`. */
const machine = (
  system: NodeJS.Platform,
  files: Record<string, string> = {},
  answers: Record<string, [status: number, output: string]> = {},
): Machine => ({
  system,
  program: "/opt/Ada's/farhand",
  windows: String.raw`D:\Windows`,
  hasFile: (path) => Promise.resolve(path in files),
  read: (path) => Promise.resolve(files[path] ?? ''),
  run(program, args) {
    const answer = answers[[program, ...args].join(' ')]
    return Promise.resolve(answer && { status: answer[0], output: answer[1] })
  },
})

describe('the firewall of a Linux system', () => {
  test('is ufw where ufw is enabled', async () => {
    const files = { '/usr/sbin/ufw': '', '/etc/ufw/ufw.conf': '# comment\nENABLED=yes\nLOGLEVEL=low\n' }
    expect(await firewallOf(5121, machine('linux', files))).toEqual({
      firewall: 'ufw',
      isActive: true,
      command: 'sudo ufw allow 5121/tcp comment Farhand',
    })
  })

  test('is not ufw where ufw is only installed', async () => {
    const files = { '/usr/sbin/ufw': '', '/etc/ufw/ufw.conf': '# ENABLED=yes\nENABLED=no\n' }
    expect(await firewallOf(5121, machine('linux', files))).toMatchObject({ firewall: 'none', command: null })
  })

  test('is firewalld where firewalld runs, and mDNS is allowed too', async () => {
    const running = machine(
      'linux',
      { '/usr/bin/firewall-cmd': '' },
      { 'systemctl is-active firewalld': [0, 'active\n'] },
    )
    const found = await firewallOf(5121, running)
    expect(found).toMatchObject({ firewall: 'firewalld', isActive: true })
    expect(found.command).toBe(
      'sudo firewall-cmd --permanent --add-port=5121/tcp --add-service=mdns && sudo firewall-cmd --reload',
    )
    const stopped = machine(
      'linux',
      { '/usr/bin/firewall-cmd': '' },
      { 'systemctl is-active firewalld': [3, 'inactive\n'] },
    )
    expect(await firewallOf(5121, stopped)).toMatchObject({ firewall: 'none' })
  })

  test('is unknown where no program reports whether firewalld runs', async () => {
    const odd = machine('linux', { '/usr/bin/firewall-cmd': '' }, { 'systemctl is-active firewalld': [1, 'offline\n'] })
    expect(await firewallOf(5121, odd)).toMatchObject({ firewall: 'firewalld', isActive: null })
  })

  test('is the kernel firewall where rules are loaded at start', async () => {
    const nft = machine('linux', {}, { 'systemctl is-active nftables': [0, 'active\n'] })
    expect(await firewallOf(8443, nft)).toMatchObject({
      firewall: 'nftables',
      command: 'sudo nft insert rule inet filter input tcp dport 8443 accept',
    })
    expect(await firewallOf(8443, machine('linux', { '/etc/iptables/rules.v4': '' }))).toMatchObject({
      firewall: 'iptables',
      isActive: null,
    })
  })
})

test('on Windows the port is opened for private and company networks only', async () => {
  expect((await firewallOf(5121, machine('win32'))).command).toBe(
    "New-NetFirewallRule -DisplayName 'Farhand' -Direction Inbound -Action Allow -Protocol TCP -LocalPort 5121 -Profile Private,Domain",
  )
})

test('on Windows the firewall is off where it is on for no kind of network, whoever switched it', async () => {
  const query = (key: string) => `D:\\Windows\\System32\\reg.exe query HKLM\\${key} /s /v EnableFirewall`
  const owner = query(String.raw`SYSTEM\CurrentControlSet\Services\SharedAccess\Parameters\FirewallPolicy`)
  const policy = query(String.raw`SOFTWARE\Policies\Microsoft\WindowsFirewall`)
  const values = (...each: number[]): [number, string] => [
    0,
    each.map((value) => `\r\nHKEY_LOCAL_MACHINE\\…\r\n    EnableFirewall    REG_DWORD    0x${value}\r\n`).join(''),
  ]
  const isActive = async (answers: Record<string, [number, string]>) =>
    (await firewallOf(5121, machine('win32', {}, answers))).isActive
  expect(await isActive({})).toBeNull()
  expect(await isActive({ [owner]: values(1, 0, 1), [policy]: [1, ''] })).toBe(true)
  expect(await isActive({ [owner]: values(0, 0), [policy]: values(1) })).toBe(true)
  const off = await firewallOf(5121, machine('win32', {}, { [owner]: values(0, 0, 0) }))
  expect(off).toEqual({ firewall: 'windows', isActive: false, command: null })
})

test('on macOS the command names the program, and none is needed while the firewall is off', async () => {
  const filter = '/usr/libexec/ApplicationFirewall/socketfilterfw --getglobalstate'
  const on = machine('darwin', {}, { [filter]: [0, 'Firewall is enabled. (State = 1)\n'] })
  expect(await firewallOf(5121, on)).toEqual({
    firewall: 'macos',
    isActive: true,
    command:
      "sudo /usr/libexec/ApplicationFirewall/socketfilterfw --add '/opt/Ada'\\''s/farhand' && " +
      "sudo /usr/libexec/ApplicationFirewall/socketfilterfw --unblockapp '/opt/Ada'\\''s/farhand'",
  })
  const off = machine('darwin', {}, { [filter]: [0, 'Firewall is disabled. (State = 0)\n'] })
  expect(await firewallOf(5121, off)).toEqual({ firewall: 'macos', isActive: false, command: null })
})
