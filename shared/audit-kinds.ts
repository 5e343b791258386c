/**
 * Kinds of audit events: what each names, which details it may carry, and how it reads. Details are declared here, so
 * that no event can carry more: values of secrets have no place (T16).
 */
import type { AuditCategory } from './audit-categories.ts'

export interface AuditKindDefinition {
  category: AuditCategory
  /** Follows the name of the actor, without a space if it begins with `’s`; `{target}`, `{device}` and names of details in braces are replaced. */
  says: string
  /** Sentence of a failure; a kind without it has no failures. */
  fails?: string
  /** Sentence where the detail `before`, or `after`, is empty. */
  ifEmpty?: Readonly<Record<'before' | 'after', string>>
  /** Names of the details that an event may carry. */
  details?: readonly string[]
}

const kind = <const D extends readonly string[] = []>(
  category: AuditCategory,
  says: string,
  { details, ...others }: Pick<AuditKindDefinition, 'fails' | 'ifEmpty'> & { details?: D } = {},
) => ({ category, says, ...others, details: details ?? ([] as unknown as D) })

const ofProvider = { details: ['provider'] } as const

/** Details of an assignment of rights. */
const assignment = { details: ['permission', 'effect', 'scope', 'scopeId', 'endsAt'] } as const

const endOfSession = {
  details: ['session', 'sessionId', 'batchId', 'reason', 'seconds', 'bytesToDevice', 'bytesFromDevice'],
} as const

/** Details of an alert; `until` of a snooze. */
const ofAlert = { details: ['alertId', 'rule', 'condition', 'devices', 'until'] } as const

/** Every kind of event. Stored by name: a name is never changed or given another meaning. */
export const auditKinds = {
  'sign-in.password': kind('sign-in', 'signed in with a password', {
    fails: 'could not sign in with a password',
    details: ['reason', 'secondFactor'],
  }),
  'sign-in.passkey': kind('sign-in', 'signed in with a passkey', {
    fails: 'could not sign in with a passkey',
    details: ['reason'],
  }),
  'sign-in.provider': kind('sign-in', 'signed in through {provider}', {
    fails: 'could not sign in through {provider}',
    details: ['provider', 'reason'],
  }),
  'sign-in.logon-token': kind('sign-in', 'opened {device} with a logon link', {
    fails: 'could not use a logon link',
  }),
  'sign-in.token': kind('sign-in', 'used {target} from a new address', {
    fails: 'sent a token or key that is not valid',
  }),
  'sign-in.ended': kind('sign-in', 'signed out', { details: ['reason'] }),
  'sign-in.proof': kind('sign-in', 'confirmed their identity', {
    fails: 'could not confirm their identity',
    details: ['reason'],
  }),

  'account.registered': kind('account', 'registered the account {target}'),
  'account.email-confirmed': kind('account', 'confirmed the address of {target}'),
  'account.email-changed': kind('account', 'changed the address of {target}', { details: ['before', 'after'] }),
  'account.reset-requested': kind('account', 'asked for a link to reset the password of {target}'),
  'account.confirmation-requested': kind('account', 'asked for a link to confirm the address of {target}'),
  'account.password-changed': kind('account', 'changed the password of {target}', {
    fails: 'could not change a password',
    details: ['reason', 'way'],
  }),
  'account.two-factor-enabled': kind('account', 'turned on two-factor authentication for {target}', {
    fails: 'could not turn on two-factor authentication',
    details: ['reason'],
  }),
  'account.two-factor-disabled': kind('account', 'turned off two-factor authentication of {target}'),
  'account.two-factor-key-renewed': kind('account', 'renewed the authenticator key of {target}'),
  'account.recovery-codes-renewed': kind('account', 'made new recovery codes for {target}'),

  'account.passkey-added': kind('account', 'added the passkey {target}'),
  'account.passkey-renamed': kind('account', 'renamed the passkey {target}'),
  'account.passkey-removed': kind('account', 'removed the passkey {target}'),
  'account.contact-method-added': kind('account', 'added the contact method {target} ({service}, {host})', {
    details: ['service', 'host'],
  }),
  'account.contact-method-changed': kind('account', 'changed the contact method {target}', {
    details: ['service', 'isOn'],
  }),
  'account.contact-method-removed': kind('account', 'removed the contact method {target}', { details: ['service'] }),
  'account.notifications-changed': kind('account', 'changed how they are notified', {
    details: ['isNativeOn', 'quietHours'],
  }),
  'account.mail-unsubscribed': kind('account', 'turned off mail about alerts for {target}, by the link in a mail'),
  'account.provider-linked': kind('account', 'linked {target} of {provider} to the account', ofProvider),
  'account.provider-unlinked': kind('account', 'unlinked {target} of {provider} from the account', ofProvider),

  'credential.token-created': kind('credential', 'created the access token {target}'),
  'credential.token-renamed': kind('credential', 'renamed the access token {target}'),
  'credential.token-deleted': kind('credential', 'deleted the access token {target}'),
  'credential.logon-token-created': kind('credential', 'created a logon link to {device} for {target}'),
  'credential.logon-token-ended': kind('credential', 'ended a logon link to {device}'),
  'credential.installer-key-created': kind('credential', 'created the installer key {target}'),
  'credential.installer-key-renamed': kind('credential', 'renamed the installer key {target}'),
  'credential.installer-key-deleted': kind('credential', 'deleted the installer key {target}'),

  'people.user-created': kind('people', 'created the account {target}'),
  'people.user-unlocked': kind('people', 'unlocked the account {target}'),
  'people.sign-ins-ended': kind('people', 'ended sign-ins of {target}', { details: ['count'] }),
  'people.invited': kind('people', 'invited {target}'),
  'people.invite-deleted': kind('people', 'withdrew the invitation of {target}'),
  'people.invite-accepted': kind('people', 'accepted an invitation as {target}', {
    fails: 'could not accept an invitation',
  }),

  // Mirrors of the log of changes; the state before and after is there.
  'change.permission-assignment-created': kind('rights', 'set {permission} ({effect}) for {target}', assignment),
  'change.permission-assignment-updated': kind('rights', 'changed {permission} ({effect}) of {target}', assignment),
  'change.permission-assignment-deleted': kind('rights', 'removed {permission} ({effect}) from {target}', assignment),
  'change.permission-assignments-seeded': kind('rights', 'gave a set of rights to {target}'),
  'change.customer-created': kind('rights', 'created the customer {target}'),
  'change.customer-updated': kind('rights', 'changed the customer {target}'),
  'change.customer-deleted': kind('rights', 'deleted the customer {target}'),
  'change.customer-devices-assigned': kind('rights', 'moved devices to the customer {target}'),
  'change.device-group-created': kind('rights', 'created the device group {target}'),
  'change.device-group-updated': kind('rights', 'changed the device group {target}'),
  'change.device-group-deleted': kind('rights', 'deleted the device group {target}'),
  'change.device-group-members-added': kind('rights', 'added devices to the group {target}'),
  'change.device-group-members-removed': kind('rights', 'removed devices from the group {target}'),
  'change.user-group-created': kind('rights', 'created the user group {target}'),
  'change.user-group-updated': kind('rights', 'changed the user group {target}'),
  'change.user-group-deleted': kind('rights', 'deleted the user group {target}'),
  'change.user-group-members-added': kind('rights', 'added people to the group {target}'),
  'change.user-group-members-removed': kind('rights', 'removed people from the group {target}'),
  'change.service-account-created': kind('credential', 'created the service account {target}'),
  'change.service-account-updated': kind('credential', 'changed the service account {target}'),
  'change.service-account-deleted': kind('credential', 'deleted the service account {target}'),
  'change.service-account-credential-created': kind('credential', 'created the API key {target}'),
  'change.service-account-credential-revoked': kind('credential', 'revoked the API key {target}'),
  'change.service-account-credential-deleted': kind('credential', 'deleted the API key {target}'),
  'change.network-settings-updated': kind('settings', 'changed the network settings'),
  'change.network-certificate-updated': kind('settings', 'changed the certificate'),
  'change.user-deleted': kind('people', 'deleted the account {target}'),
  'change.user-disabled': kind('people', 'disabled the account {target}'),
  'change.user-enabled': kind('people', 'enabled the account {target}'),
  'change.user-other-ways-in-removed': kind('people', 'removed passkeys and linked accounts of {target}'),
  'change.user-password-reset': kind('people', 'reset the password of {target}'),
  'change.user-two-factor-disabled': kind('people', 'turned off two-factor authentication of {target}'),

  'settings.tenant-changed': kind('settings', 'changed the setting {target} of the organization', {
    details: ['value'],
  }),
  'settings.tenant-created': kind('settings', 'created the organization {target}'),
  'settings.tenant-renamed': kind('settings', 'renamed the organization {target}'),
  'settings.tenant-deleted': kind('settings', 'deleted the organization {target}'),
  'settings.release-key-rotated': kind('settings', 'replaced the key that signs agents'),
  'settings.release-signed': kind('settings', 'signed version {version} of the agent for {runtime}', {
    details: ['runtime', 'version', 'bundleSha256'],
  }),
  'settings.release-allowed': kind('settings', 'allowed agents to go back to version {version}', {
    details: ['runtime', 'version'],
  }),
  'settings.view-shared': kind('settings', 'shared the view {target} of the device list'),
  'settings.view-unshared': kind('settings', 'took the view {target} of the device list back'),
  'settings.customer-details-changed': kind('settings', 'changed contacts or place of the customer {target}'),
  'settings.tag-created': kind('settings', 'created the tag {target}'),
  'settings.tag-renamed': kind('settings', 'renamed a tag to {target}'),
  'settings.tag-deleted': kind('settings', 'deleted the tag {target}'),
  'settings.tag-colored': kind('settings', 'changed the color of the tag {target}'),
  'settings.tag-merged': kind('settings', 'merged the tag {target} into {into}', { details: ['into', 'devices'] }),
  'settings.server-setting-changed': kind('settings', 'changed the server setting {target}', {
    details: ['before', 'value'],
  }),
  'settings.server-setting-reset': kind('settings', 'reset the server setting {target}', { details: ['before'] }),
  'settings.webhook-created': kind('settings', 'made the webhook {target} to {url}', { details: ['url'] }),
  'settings.webhook-changed': kind('settings', 'changed the webhook {target} to {url}', {
    details: ['url', 'isEnabled'],
  }),
  'settings.webhook-deleted': kind('settings', 'deleted the webhook {target}'),
  'settings.webhook-delivery-repeated': kind('settings', 'had {event} sent again to the webhook {target}', {
    details: ['event', 'deliveryId'],
  }),
  'settings.webhook-secret-replaced': kind('settings', 'replaced the secret of the webhook {target}'),
  'settings.alert-rule-created': kind('settings', 'made the alert rule {target}'),
  'settings.alert-rule-changed': kind('settings', 'changed the alert rule {target}', { details: ['isEnabled'] }),
  'settings.alert-rule-deleted': kind('settings', 'deleted the alert rule {target}'),
  'settings.on-call-changed': kind('settings', 'changed who is on call: {first}, then {second}', {
    details: ['first', 'second', 'afterMinutes'],
  }),
  'settings.consent-policy-created': kind('settings', 'made the consent policy {target}'),
  'settings.consent-policy-changed': kind('settings', 'changed the consent policy {target}'),
  'settings.consent-policy-deleted': kind('settings', 'deleted the consent policy {target}'),
  'settings.server-alert-changed': kind('settings', 'changed the server-wide notice'),

  'device.registered': kind('device', 'registered {device} with an installer key', { details: ['isNew'] }),
  'device.two-machines': kind('device', 'saw two machines with the identity of {device}', { details: ['addresses'] }),
  'device.machine-kept': kind('device', 'chose which machine keeps the identity of {device}', {
    details: ['machine', 'addresses'],
  }),
  'device.note-added': kind('device', 'wrote a note about {device}'),
  'device.note-changed': kind('device', 'changed a note about {device}'),
  'device.note-deleted': kind('device', 'deleted a note of {author} about {device}', { details: ['author'] }),
  'device.alias-changed': kind('device', 'changed the alias of {device} from “{before}” to “{after}”', {
    ifEmpty: { before: 'set the alias of {device} to “{after}”', after: 'removed the alias “{before}” of {device}' },
    details: ['before', 'after'],
  }),
  'device.tagged': kind('device', 'gave {device} the tag {target}'),
  'device.untagged': kind('device', 'took the tag {target} from {device}'),
  'device.deleted': kind('device', 'removed {device}'),
  'device.uninstalled': kind('device', 'uninstalled the agent of {device}', {
    fails: 'could not uninstall the agent of {device}',
    details: ['reason'],
  }),
  'device.power': kind('device', 'sent {command} to {device}', {
    fails: 'could not send {command} to {device}',
    details: ['command', 'reason'],
  }),
  'device.power-ordered': kind('device', 'ordered {command} of {device}', { details: ['command', 'when', 'person'] }),
  'device.power-canceled': kind('device', 'canceled the {command} of {device} that {by} had ordered', {
    details: ['command', 'by'],
  }),
  'device.woken': kind('device', 'sent Wake-on-LAN to {device}'),
  'device.consent-cleared': kind('device', 'removed the standing answers of the people at {device}'),
  'device.agent-updated': kind('device', 'started an update of the agent on {device}', {
    fails: 'could not start an update of the agent on {device}',
  }),

  'session.began': kind('session', 'started a session ({session}) on {device}', {
    details: ['session', 'sessionId', 'batchId', 'serverId'],
  }),
  'session.ended': kind('session', '’s session ({session}) on {device} ended', endOfSession),
  // By somebody else than its owner, or by the server because the right had ended.
  'session.cut': kind('session', 'ended a session ({session}) of {target} on {device}', endOfSession),
  'session.terminal-shared': kind('session', 'shared a terminal on {device} with {target}, to {guestMay}', {
    details: ['guestMay', 'sessionId', 'endsAt'],
  }),
  'session.terminal-share-changed': kind(
    'session',
    'changed what {target} may do in a shared terminal on {device}: {guestMay}',
    { details: ['guestMay', 'sessionId'] },
  ),
  'session.heard': kind('session', 'heard the sound of {device} in a session ({session})', {
    details: ['session', 'sessionId', 'batchId'],
  }),
  'session.messaged': kind('session', 'sent a message to {target} in a session ({session}) on {device}', {
    details: ['session', 'sessionId'],
  }),

  'recording.started': kind('session', 'started to record a session ({recording}) on {device}', {
    details: ['recording', 'recordingId', 'sessionId', 'cause'],
  }),
  'recording.ended': kind('session', '’s session ({recording}) on {device} is no longer recorded', {
    details: ['recording', 'recordingId', 'sessionId', 'state', 'bytes', 'blocks', 'digest', 'reason'],
  }),
  'recording.opened': kind('session', 'watched a recording ({recording}) of {device}', {
    details: ['recording', 'recordingId'],
  }),
  'recording.deleted': kind('session', 'deleted a recording ({recording}) of {device}', {
    details: ['recording', 'recordingId', 'startedAt', 'reason'],
  }),
  'recording.policies-changed': kind('settings', 'changed which sessions are recorded', { details: ['policies'] }),

  'session.consent': kind('session', 'was let in at {device} ({subject}) under {policies}', {
    fails: 'was not let in at {device} ({subject}) under {policies}: {reason}',
    details: ['subject', 'policies', 'reason'],
  }),

  'batch.started': kind('device', 'started a bulk job: {batch} (devices: {devices})', {
    details: ['batch', 'batchId', 'devices', 'tag', 'command', 'sealedCommand'],
  }),

  'file.uploaded': kind('file', 'uploaded {target} to {device}', {
    fails: 'could not upload {target} to {device}',
    details: ['folder', 'bytes', 'reason'],
  }),
  'file.downloaded': kind('file', 'downloaded {target} from {device}', { details: ['bytes', 'part', 'listSha256'] }),
  'file.copied': kind('file', 'copied {target} on {device} to {to}', {
    fails: 'could not copy {target} on {device} to {to}',
    details: ['to', 'reason'],
  }),
  'file.moved': kind('file', 'moved {target} on {device} to {to}', {
    fails: 'could not move {target} on {device} to {to}',
    details: ['to', 'reason'],
  }),
  'file.mode-changed': kind('file', 'changed the permissions of {target} on {device} to {mode}', {
    fails: 'could not change the permissions of {target} on {device} to {mode}',
    details: ['mode', 'reason'],
  }),
  'file.deleted': kind('file', 'deleted {target} on {device}', {
    fails: 'could not delete {target} on {device}',
    details: ['reason'],
  }),
  'file.folder-created': kind('file', 'created the folder {target} on {device}', {
    fails: 'could not create the folder {target} on {device}',
    details: ['reason'],
  }),

  'export.rights-changes': kind('export', 'exported the change log of rights', { details: ['filters'] }),
  'export.devices': kind('export', 'exported the list of devices', { details: ['filters', 'columns', 'devices'] }),
  'export.diagnostics': kind('export', 'downloaded the diagnostics of the server'),
  'export.audit-log': kind('export', 'exported the audit log', { details: ['format', 'filters'] }),

  'export.notification': kind('export', 'told {target} of “{subject}” by {service}', {
    fails: 'could not tell {target} of “{subject}” by {service}',
    details: ['subject', 'service', 'host', 'status', 'attempts', 'deliveryId', 'reason'],
  }),
  'export.webhook-delivery': kind('export', 'sent {event} to the webhook {target}', {
    fails: 'could not send {event} to the webhook {target}',
    details: ['event', 'deliveryId', 'attempts', 'status', 'url', 'reason'],
  }),

  'alert.opened': kind('alert', 'opened the alert {target}', ofAlert),
  'alert.acknowledged': kind('alert', 'acknowledged the alert {target}', ofAlert),
  'alert.snoozed': kind('alert', 'snoozed the alert {target}', ofAlert),
  'alert.closed': kind('alert', 'closed the alert {target}', ofAlert),

  'backup.made': kind('server', 'made the backup {target}', {
    fails: 'could not make a backup',
    details: ['bytes', 'reason'],
  }),
  'backup.checked': kind('server', 'rehearsed a restore of the newest backup', {
    fails: 'found that the newest backup cannot be restored',
    details: ['reason'],
  }),
  'backup.settings-changed': kind('settings', 'changed the settings of backups', {
    details: ['folder', 'hour', 'daily', 'weekly', 'monthly'],
  }),
  'backup.recovery-key-made': kind('settings', 'made the recovery key {fingerprint}', { details: ['fingerprint'] }),
  'backup.recovery-key-proved': kind('settings', 'proved to have the recovery key {fingerprint}', {
    fails: 'could not prove to have the recovery key {fingerprint}',
    details: ['fingerprint'],
  }),
  'server.restored': kind('server', 'restored the backup of {createdAt} from {computer}', {
    details: ['createdAt', 'computer'],
  }),
  'server.audit-log-replaced': kind(
    'server',
    'replaced the audit log: {count} entries from {firstAt} to {lastAt} are no longer in it',
    {
      fails: 'replaced the audit log, and its entries cannot be read: {problem}',
      details: ['count', 'firstAt', 'lastAt', 'lastId', 'hash', 'folder', 'problem'],
    },
  ),
  'server.secrets-moved': kind('server', 'moved the secrets of the server to the {place}', { details: ['place'] }),

  'server.secrets-shared': kind('server', 'wrote the secrets of the server into a file for another server'),
  'server.started': kind('server', 'started', { details: ['version'] }),
  'server.stopped': kind('server', 'stopped'),
  'server.update-started': kind('server', 'started the update from version {from} to {to}', {
    details: ['from', 'to'],
  }),
  'server.update-installed': kind('server', 'updated from version {from} to {to}', {
    fails: 'could not update from version {from} to {to}: {reason}',
    details: ['from', 'to', 'reason', 'dataRestored'],
  }),
  'server.update-back-started': kind('server', 'started to go back from version {from} to {to}', {
    details: ['from', 'to', 'dataRestored'],
  }),
  'server.update-back': kind('server', 'went back from version {from} to {to}', {
    fails: 'could not go back from version {from} to {to}: {reason}',
    details: ['from', 'to', 'reason', 'dataRestored'],
  }),
  'server.agents-rollout': kind('server', 'gave version {version} of the agent to ring {ring}', {
    details: ['version', 'ring'],
  }),
  'server.agents-rollout-stopped': kind('server', 'stopped the rollout of version {version} of the agent: {reason}', {
    details: ['version', 'ring', 'reason'],
  }),
  'server.agents-rollout-resumed': kind('server', 'resumed the rollout of version {version} of the agent', {
    details: ['version'],
  }),
  'server.decommission-began': kind('server', 'began to decommission the server: its agents uninstall themselves'),
  'server.decommission-continued': kind(
    'server',
    'started while it is being decommissioned: its agents uninstall themselves',
  ),
  'server.decommission-ended': kind('server', 'ended the decommission of the server'),
  'server.audit-log-lost': kind('server', 'found that events of the audit log are missing: {problem}', {
    details: ['problem'],
  }),
  'server.audit-log-cut': kind('server', 'removed {count} old events of the audit log', {
    details: ['count', 'before'],
  }),
}
export type AuditKind = keyof typeof auditKinds
