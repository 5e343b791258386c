import { z } from 'zod'
import { dto, fileBytes, listDto } from '../contract/fields.ts'
import { defineRoutes } from '../contract/route.ts'
import {
  BackupCopyDto,
  BackupDto,
  BackupSettingsDto,
  NewRecoveryKeyDto,
  recoveryKeyField,
  RestoredDto,
} from '../dtos/backup.ts'

/** Right over rights: the holder of folder and key can read everything that a copy holds. */
const administrator = { permission: 'server.permissions.write', on: 'server' } as const
const reader = { permission: 'server.telemetry.read', on: 'server' } as const

const setupCode = z
  .string()
  .max(100)
  .optional()
  .describe('What the server printed at its start; needed from another computer.')
const afterwards =
  'Replaced data is moved aside. The server restarts with the data of the copy where its host can restart it.'

/** Copies of the whole server, and the way back from one. */
export const applianceBackup = defineRoutes('Backup', {
  get: {
    method: 'GET',
    path: '/api/appliance/v1/backup',
    summary: 'Settings, newest copy, recovery key and last rehearsal',
    access: reader,
    tenant: 'none',
    response: BackupDto,
  },
  copies: {
    method: 'GET',
    path: '/api/appliance/v1/backup/copies',
    summary: 'Copies in the backup folder, newest first',
    problems: { 409: 'The folder cannot be read.' },
    access: reader,
    tenant: 'none',
    response: listDto('BackupCopyListDto', BackupCopyDto, 'All copies in the folder; not paged.'),
  },
  make: {
    method: 'POST',
    path: '/api/appliance/v1/backup/copies',
    summary: 'Make a copy in the backup folder now',
    problems: { 409: 'The copy cannot be made: no folder, no recovery key, or the disk refuses.' },
    access: administrator,
    tenant: 'none',
    response: BackupDto,
  },
  rehearse: {
    method: 'POST',
    path: '/api/appliance/v1/backup/rehearsals',
    summary: 'Open the newest copy and check that it can be restored',
    problems: { 409: 'There is no copy.' },
    access: administrator,
    tenant: 'none',
    response: BackupDto,
  },
  changeSettings: {
    method: 'PUT',
    path: '/api/appliance/v1/backup/settings',
    summary: 'Store folder and schedule, once the folder is known to be writable',
    problems: { 409: 'The folder cannot be used.' },
    access: administrator,
    recentProof: true,
    tenant: 'none',
    body: BackupSettingsDto,
    response: BackupDto,
  },
  makeRecoveryKey: {
    method: 'POST',
    path: '/api/appliance/v1/backup/recovery-key',
    summary: 'Make a recovery key, which opens copies made from now on',
    description:
      'The key is returned once, and the server stores only what encrypts for it. Earlier copies need the earlier key.',
    access: administrator,
    recentProof: true,
    tenant: 'none',
    response: NewRecoveryKeyDto,
  },
  proveRecoveryKey: {
    method: 'POST',
    path: '/api/appliance/v1/backup/recovery-key/proof',
    summary: 'Check that the recovery key is at hand',
    problems: { 409: 'It is mistyped, or another one.' },
    access: administrator,
    recentProof: true,
    tenant: 'none',
    body: dto('ProveRecoveryKeyDto', { recoveryKey: recoveryKeyField }),
    response: BackupDto,
  },
  restoreCopy: {
    method: 'POST',
    path: '/api/appliance/v1/backup/restorations',
    summary: 'Put a copy in place of the data of this server',
    description: afterwards,
    problems: { 409: 'The copy is damaged, of a newer version, or opens with another key; nothing changed.' },
    access: administrator,
    recentProof: true,
    tenant: 'none',
    body: dto('RestoreCopyDto', {
      path: z.string().min(1).max(4000).describe('File on the computer of the server, a full path.'),
      recoveryKey: recoveryKeyField,
    }),
    response: RestoredDto,
  },
  restoreFirst: {
    method: 'POST',
    path: '/api/appliance/v1/first-run/restorations',
    summary: 'Restore a copy on a server without accounts, from a file on its computer',
    description: afterwards,
    problems: {
      400: 'The setup code is missing or wrong.',
      404: 'The server has accounts.',
      409: 'The copy is damaged, of a newer version, or opens with another key; nothing changed.',
    },
    access: 'anonymous',
    limitedAttempts: 'all',
    tenant: 'none',
    body: dto('RestoreFirstDto', {
      path: z.string().min(1).max(4000).describe('File on the computer of the server, a full path.'),
      recoveryKey: recoveryKeyField,
      setupCode,
    }),
    response: RestoredDto,
  },
  restoreUpload: {
    method: 'POST',
    path: '/api/appliance/v1/first-run/uploads',
    summary: 'Restore a copy on a server without accounts, from an uploaded file',
    description: `The other fields come before the file. ${afterwards}`,
    problems: {
      400: 'The setup code is missing or wrong, or fields come after the file.',
      404: 'The server has accounts.',
      409: 'The copy is damaged, of a newer version, or opens with another key; nothing changed.',
    },
    access: 'anonymous',
    limitedAttempts: 'all',
    tenant: 'none',
    bodyType: 'multipart',
    body: dto('RestoreUploadForm', {
      recoveryKey: recoveryKeyField,
      setupCode: z.string().max(100).describe('What the server printed at its start; may be empty on its computer.'),
      file: fileBytes.describe('The copy.'),
    }),
    response: RestoredDto,
  },
})
