import { deviceAccess, firstSteps, guest, invitation, signInHelp } from './en-entry.ts'
import { passwordReset, password, proof, signIn, welcome } from './en-account.ts'
import { audit } from './en-audit.ts'
import { backup } from './en-backup.ts'
import { batches } from './en-batches.ts'
import { chat } from './en-chat.ts'
import { common, notFound, problem } from './en-common.ts'
import { control } from './en-control.ts'
import { deploy } from './en-deploy.ts'
import { device, status } from './en-device.ts'
import { deleteDevices, devices } from './en-devices.ts'
import { files } from './en-files.ts'
import { lists } from './en-lists.ts'
import { logs } from './en-logs.ts'
import { network } from './en-network.ts'
import { organization, tenants } from './en-organization.ts'
import { account, secondFactor } from './en-own-account.ts'
import { organize } from './en-organize.ts'
import { health } from './en-health.ts'
import { decommission, server, serverNotice, storageNotice } from './en-server.ts'
import { serviceAccounts } from './en-service-accounts.ts'
import { heldRights, people, userGroups } from './en-people.ts'
import { rights } from './en-rights.ts'
import { sessions } from './en-sessions.ts'
import { about, notices, palette, shell, shortcuts, toasts } from './en-shell.ts'
import { terminal } from './en-terminal.ts'
import { networkTest, trust } from './en-trust.ts'
import { updates } from './en-updates.ts'
import { viewer } from './en-viewer.ts'
import { visit } from './en-visit.ts'
import { vnc } from './en-vnc.ts'
import { passkeys, providers } from './en-ways-in.ts'

/** All texts of the interface. Functions take the variable parts; another language is another object of this type. */
export const en = {
  productName: 'Farhand',
  title: (page: string) => `${page} · Farhand`,

  common,
  problem,
  notFound,
  lists,
  rights,

  backup,
  welcome,
  signIn,
  passwordReset,
  signInHelp,
  deviceAccess,
  invitation,
  firstSteps,
  guest,
  password,
  proof,
  account,
  secondFactor,
  passkeys,
  providers,

  shell,
  notices,
  toasts,
  about,
  palette,
  shortcuts,

  devices,
  deleteDevices,
  batches,
  sessions,
  organize,

  status,
  device,
  visit,
  viewer,
  control,
  terminal,
  files,
  vnc,
  chat,
  logs,

  deploy,
  network,
  decommission,
  server,
  health,
  updates,
  serverNotice,
  storageNotice,
  serviceAccounts,
  organization,
  tenants,
  audit,
  people,
  heldRights,
  userGroups,
  trust,
  networkTest,
}
