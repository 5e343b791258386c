export const trust = {
  title: 'Trust this server',
  intro: (name: string) =>
    `${name} encrypts everything with a certificate that the server issued itself. Browsers warn until this device trusts it: install the certificate once, and the warning does not appear again.`,
  introOwn: (name: string) =>
    `${name} uses a certificate of another issuer. Browsers that trust the issuer do not warn, and there is nothing to do here.`,
  compare: 'First compare the fingerprint',
  compareOwn: 'Compare the fingerprint',
  compareHint:
    'Ask an administrator for these words, or read them on the Network page on the computer that runs Farhand. If they differ, somebody may be intercepting the connection: stop here.',
  trusting: 'Then trust it on this device',
  state: {
    trusted: 'This browser already trusts this server. There is nothing to do.',
    untrusted: 'This browser does not trust this server yet. Once it does, this address opens without a warning:',
    encrypted:
      'This connection is encrypted. If your browser showed a warning before, it does not trust this server yet.',
    unknown: 'This page cannot check whether the browser trusts the server. Open the encrypted address to see:',
    off: 'This server is not open to the network, so there is no encrypted address to trust.',
    checking: 'Checking whether this browser trusts the server…',
  },
  system: 'System',
  systems: {
    windows: 'Windows',
    macos: 'macOS',
    ios: 'iPhone, iPad',
    android: 'Android',
    linux: 'Linux',
    firefox: 'Firefox',
  },
  download: 'Download certificate',
  downloadProfile: 'Download profile',
  steps: {
    windows: [
      'Download the certificate, and open it.',
      'Choose “Install Certificate”, “Local Machine”, then “Place all certificates in the following store”: “Trusted Root Certification Authorities”.',
      'Finish, and start the browser again.',
    ],
    macos: [
      'Download the certificate, and open it: Keychain Access asks where to. Choose “System”.',
      'Find it in the list by the name that starts with “Farhand”, and open it. Under “Trust”, choose “Always Trust”.',
      'Close the window, confirm with your password, and load this page again.',
    ],
    ios: [
      'Open this page in Safari, and download the profile. Allow it.',
      'In Settings, open “Profile Downloaded”, and install it.',
      'In Settings, General, About, “Certificate Trust Settings”, switch on the one that starts with “Farhand”.',
    ],
    android: [
      'Download the certificate.',
      'In Settings, search for “CA certificate” (Security, Encryption and credentials, Install a certificate). Choose “Install anyway”.',
      'Choose the file that you downloaded, and load this page again.',
    ],
    linux: [
      'Download the certificate.',
      'In Chrome or Chromium, open chrome://certificate-manager, “Installed by you”, and import it under “Trusted certificates”.',
      'For programs too: copy it to /usr/local/share/ca-certificates and run “sudo update-ca-certificates” (Debian, Ubuntu), or to /etc/pki/ca-trust/source/anchors and run “sudo update-ca-trust” (Fedora).',
    ],
    firefox: [
      'Download the certificate.',
      'In Settings, Privacy & Security, Certificates, “View Certificates”, “Authorities”, choose “Import” and the file.',
      'Tick “Trust this CA to identify websites”, and load this page again.',
    ],
  },
  undo: 'To undo it, remove the certificate in the same place.',
}
