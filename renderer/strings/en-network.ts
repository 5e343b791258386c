import { count, devices } from './counts.ts'

/** Texts of the Network page. */
export const network = {
  title: 'Network',
  intro: 'How other computers reach this server, and how they know that it is the right one.',
  serve: 'Serve my network',
  serveHint: (port: number) =>
    `Agents and browsers on other computers reach this server, encrypted, at port ${port}. This computer always does.`,
  states: {
    off: 'Off: only this computer reaches the server.',
    serving: 'On: your network reaches the server, encrypted.',
    failed: 'Your network does not reach the server.',
  },
  onlyPlain: 'Off: your network reaches the server, but only without encryption.',
  fixedServe: (setting: string, source: string) => `${setting} decides this (${source}).`,
  fixedBy: (setting: string, source: string) => `Set by ${setting} (${source}); it cannot be changed here.`,
  sources: {
    default: 'default',
    file: 'settings file',
    environment: 'environment',
    'secrets directory': 'secrets directory',
  },
  portFailed: (problem: string) => `${problem} It is tried again every few seconds.`,
  plain: 'Part of the network is served without encryption',
  plainHint: (addresses: readonly string[]) =>
    `At ${addresses.join(', ')} anyone on the way can read and change everything, passwords included. Service_Urls opens it: use an https address there, or leave it out and switch on “Serve my network”.`,

  off: 'Stop serving the network?',
  offHint: (connected: number) =>
    connected === 0
      ? 'No device is connected over it now. Other computers can no longer open this page.'
      : `${devices(connected)} ${connected === 1 ? 'is' : 'are'} connected over it and will be offline until you switch it on again.`,
  offSelf:
    'You reach this page over it too: it stops answering at once. Switch it on again on the computer that runs Farhand.',
  offConfirm: (connected: number) => (connected === 0 ? 'Stop serving' : `Disconnect ${devices(connected)}`),
  keepOn: 'Keep it on',

  portTitle: 'Change the port?',
  portChange: (connected: number) =>
    `${devices(connected)} ${connected === 1 ? 'is' : 'are'} connected at the old one. Agents look for this server when it is gone and find it by its announcement; where announcements do not get through, keep the old port.`,
  portConfirm: 'Change the port',

  addresses: 'Addresses',
  addressesHint: 'What agents and browsers call, the best first. Agents know all of them and try one after the other.',
  addressesOff: 'None yet. They appear here when the network is served.',
  best: 'best',
  copyAddress: (address: string) => `Copy ${address}`,
  listening: 'Listening on',
  served: (reach: 'computer' | 'network', isEncrypted: boolean) =>
    `Page, agents and API for ${reach === 'computer' ? 'this computer only' : isEncrypted ? 'your network, encrypted' : 'your network, not encrypted'}`,
  interfaces: 'Interfaces of this computer',
  noInterface: 'This computer has no address on any network. Connect it, and its addresses appear here.',
  phone: 'Open on a phone',
  phoneHint: 'Point its camera here. It opens the page that explains the certificate.',
  qrLabel: (address: string) => `QR code of ${address}`,
  settings: 'Port and names',
  port: 'Port',
  portHint: 'For HTTPS on every interface. Default: 5121.',
  portFixed: (setting: string, source: string) => `${setting} decides the port (${source}).`,
  names: 'Names that people use',
  namesHint:
    'One a line, such as farhand.example.org. The certificate covers them, and install commands use the first one.',
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
    'The identity of this server. It never changes, not with another address or another certificate. Compare it wherever Farhand shows it: on the certificate page, in an agent’s log.',
  words: 'In words',
  hex: 'In full (SHA-256 of the key)',
  copyHex: 'Copy the fingerprint',
  trustPage: 'How browsers come to trust it',

  certificate: 'Certificate',
  byAuthority: 'Issued by this server’s own authority and renewed by itself.',
  byOthers: 'Your own certificate.',
  covers: 'Covers',
  validUntil: 'Valid until',
  ownProblem: 'Your certificate is not shown',
  use: 'Use a certificate of your own',
  replace: 'Replace your certificate',
  remove: 'Go back to this server’s own',
  removeTitle: 'Go back to this server’s own certificate?',
  removeHint:
    'Agents stay connected. Browsers that do not know the authority of this server will warn again. The uploaded key is deleted.',
  upload: 'Upload',
  uploadHint:
    'Agents stay with this server: its identity is proved apart from the certificate. The key is stored sealed and never shown again.',
  certificateFileHint: 'One PEM file with certificate, chain and key, two PEM files, or one PFX file.',
  chooseFiles: 'Choose files',
  password: 'Password of the key',
  passwordHint: 'Empty when it has none.',
  tooLarge: 'This file is too large for a certificate.',

  reach: 'Can others reach it?',
  here: 'Test from here',
  hereHint:
    'The server calls each of its own addresses. It shows who answers, not what a firewall lets in from elsewhere.',
  outcomes: {
    ours: 'answers, with our certificate',
    foreign: 'somebody else answers there',
    silent: 'does not answer',
  },
  device: 'Test from another device',
  deviceHint: 'Scan the code with a phone, or open the address on another computer in the same network.',
  deviceStart: 'Make a test address',
  deviceAgain: 'Test another device',
  deviceWaiting: 'Waiting for the device…',
  deviceWarning: 'The browser may warn about the certificate. For this test, go on to the page.',
  deviceArrived: (from: string) => `A device at ${from} reached this server`,
  deviceCalled: (address: string, browser: string) => `It called ${address} and says it is: ${browser}`,
  deviceExpired: 'The test address has expired.',
  testAddress: 'Test address',
  firewall: 'Firewall',
  firewallActive: (name: string) => `${name} is active. This command lets other computers in:`,
  firewallMaybe: (name: string) =>
    `If others do not get through, ${name} may be in the way. This command lets them in:`,
  firewallOff: (name: string) => `${name} is switched off: it keeps nobody out.`,
  firewallNone:
    'No firewall that we know is active on this computer. If others do not get through, look at the router or at rules of your own.',
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
  moreAddresses: (hidden: number) => `Show ${count(hidden, 'more address', 'more addresses')}`,
  notAllowed: 'You may not see this. Ask an administrator for the right “server.settings.write”.',
}
