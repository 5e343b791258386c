import { plural } from '../../../shared/plural.ts'
import { deviceCount } from '../../text/format.ts'

export const network = {
  title: 'Network',
  intro: 'How other computers reach this server and verify its identity.',
  serve: 'Serve my network',
  serveHint: (port: number) =>
    `Agents and browsers on other computers can connect, encrypted, at port ${port}. This computer always can.`,
  states: {
    off: 'Off: only this computer can reach the server.',
    serving: 'On: your network can reach the server, encrypted.',
    failed: 'Your network cannot reach the server.',
  },
  onlyPlain: 'Off: your network can reach the server, but only without encryption.',
  fixedServe: (setting: string, source: string) => `${setting} decides this (${source}).`,
  fixedBy: (setting: string, source: string) => `Set by ${setting} (${source}); it cannot be changed here.`,
  sources: {
    default: 'default',
    file: 'settings file',
    environment: 'environment',
    'secrets directory': 'secrets directory',
  },
  portFailed: (problem: string) => `${problem} Retrying every few seconds.`,
  plain: 'Part of the network is served without encryption',
  plainHint: (addresses: readonly string[]) =>
    `At ${addresses.join(', ')} anyone on the network path can read and change everything, passwords included. Service_Urls opens it: use an https address there, or leave it out and switch on “Serve my network”.`,

  off: 'Stop serving the network?',
  offHint: (connected: number) =>
    connected === 0
      ? 'No device is connected over it now. Other computers can no longer open this page.'
      : `${deviceCount(connected)} ${connected === 1 ? 'is' : 'are'} connected over it and will be offline until you switch it on again.`,
  offSelf: 'This page uses it too and stops working immediately. Switch it on again on the computer that runs Farhand.',
  offConfirm: (connected: number) => (connected === 0 ? 'Stop serving' : `Disconnect ${deviceCount(connected)}`),
  keepOn: 'Keep it on',

  portTitle: 'Change the port?',
  portChange: (connected: number) =>
    `${deviceCount(connected)} ${connected === 1 ? 'is' : 'are'} connected at the old port. Agents find the new port by the announcement of the server. If your network blocks announcements, keep the old port.`,
  portConfirm: 'Change the port',

  addresses: 'Addresses',
  addressesHint:
    'Addresses for agents and browsers, the best first. Agents know all of them and try one after the other.',
  addressesOff: 'None yet. They appear here when the network is served.',
  best: 'best',
  copyAddress: (address: string) => `Copy ${address}`,
  listening: 'Listening on',
  served: (reach: 'computer' | 'network', isEncrypted: boolean) =>
    `Page, agents and API for ${reach === 'computer' ? 'this computer only' : isEncrypted ? 'your network, encrypted' : 'your network, not encrypted'}`,
  interfaces: 'Interfaces of this computer',
  noInterface: 'This computer has no address on any network. Connect it, and its addresses appear here.',
  phone: 'Open on a phone',
  phoneHint: 'Scan the code with its camera. It opens the page that explains the certificate.',
  qrLabel: (address: string) => `QR code of ${address}`,
  settings: 'Port and names',
  port: 'Port',
  portHint: 'For HTTPS on every interface. Default: 5121.',
  portFixed: (setting: string, source: string) => `${setting} decides the port (${source}).`,
  names: 'Host names',
  namesHint:
    'One per line, such as farhand.example.org. The certificate covers them, and install commands use the first one.',
  wrongNames: (names: readonly string[]) =>
    `Not a name such as farhand.example.org, without https:// and without a port: ${names.join(', ')}`,
  uncovered: 'not covered by your certificate: browsers warn here',
  save: 'Save',
  discard: 'Discard',
  publicUrl: 'Public address',
  announced: (name: string) => `Announced on the network as “${name}”.`,
  notAnnounced: (problem: string) => `Not announced on the network (${problem}). Everything else works.`,

  identity: 'Fingerprint',
  identityHint:
    'The identity of this server. It stays the same when the address or the certificate changes. Compare it wherever Farhand shows it: on the certificate page, in an agent’s log.',
  words: 'In words',
  hex: 'In full (SHA-256 of the key)',
  copyHex: 'Copy the fingerprint',
  trustPage: 'How to make browsers trust it',

  certificate: 'Certificate',
  byAuthority: 'Issued by this server’s own authority and renewed automatically.',
  byOthers: 'Custom certificate.',
  covers: 'Covers',
  validUntil: 'Valid until',
  ownProblem: 'Your certificate is not used',
  use: 'Use a custom certificate',
  replace: 'Replace the custom certificate',
  remove: 'Remove the custom certificate',
  removeTitle: 'Remove the custom certificate?',
  removeHint:
    'Agents stay connected. Browsers that do not know the authority of this server will warn again. The uploaded key is deleted.',
  upload: 'Upload',
  uploadHint:
    'Agents stay connected: they verify the identity of this server, not its certificate. The key is stored encrypted and never shown again.',
  certificateFileHint: 'One PEM file with certificate, chain and key, two PEM files, or one PFX file.',
  chooseFiles: 'Choose files',
  password: 'Password of the key',
  passwordHint: 'Leave empty if it has none.',
  tooLarge: 'This file is too large for a certificate.',

  reach: 'Can others reach it?',
  here: 'Test from here',
  hereHint:
    'The server connects to each of its own addresses. This does not show what a firewall blocks for other computers.',
  outcomes: {
    ours: 'responds with the certificate of this server',
    foreign: 'another server responds',
    silent: 'no response',
  },
  device: 'Test from another device',
  deviceHint: 'Scan the code with a phone, or open the address on another computer in the same network.',
  deviceStart: 'Make a test address',
  deviceAgain: 'Test another device',
  deviceWaiting: 'Waiting for the device…',
  deviceWarning: 'The browser may warn about the certificate. For this test, continue to the page.',
  deviceArrived: (from: string) => `A device at ${from} reached this server`,
  deviceCalled: (address: string, browser: string) => `It connected to ${address}. Its browser: ${browser}`,
  deviceExpired: 'The test address has expired.',
  testAddress: 'Test address',
  firewall: 'Firewall',
  firewallActive: (name: string) => `${name} is active. This command lets other computers in:`,
  firewallMaybe: (name: string) =>
    `If other computers cannot connect, ${name} may block them. This command lets them in:`,
  firewallOff: (name: string) => `${name} is switched off and blocks nothing.`,
  firewallNone:
    'No known firewall is active on this computer. If other computers cannot connect, check the router and your own rules.',
  firewallShell: { powershell: 'In PowerShell, as administrator:', terminal: 'In a terminal:' },
  firewallNames: {
    ufw: 'ufw',
    firewalld: 'firewalld',
    nftables: 'nftables',
    iptables: 'iptables',
    windows: 'Windows Defender Firewall',
    macos: 'The firewall of macOS',
    none: '',
  },
  copyCommand: 'Copy command',
  moreAddresses: (hidden: number) => `Show ${plural(hidden, 'more address', 'more addresses')}`,
}
