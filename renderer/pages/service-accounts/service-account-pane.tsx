import { Group, Switch } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { TextLink } from '../../components/links.tsx'
import { checkProps } from '../../components/field-props.ts'
import { CopyButton } from '../../components/copy-button.tsx'
import { DialogForm, DeleteButton, FormButton } from '../../components/list-kit/dialogs.tsx'
import { PaneSection, SidePane } from '../../components/list-kit/side-pane.tsx'
import { ProblemAlert } from '../../components/problem-alert.tsx'
import { RelativeTime } from '../../components/relative-time.tsx'
import { GrantLines } from '../../components/grant-lines.tsx'
import { RightsLinks } from '../../components/rights-links.tsx'
import { useSession } from '../../hooks/use-session.ts'
import * as t from '../../texts.ts'
import { visibleName } from '../../text/visible-name.ts'
import {
  serviceAccountQueries,
  serviceAccountRights,
  doorOf,
  keyStateOf,
  type ServiceAccount,
} from './service-accounts.ts'
import { ServiceAccountKeys } from './service-account-keys.tsx'
import { NameFields } from './new-service-account.tsx'
import { invalidate } from '../../api/query-client.ts'

function EditForm({ account, onDone }: { account: ServiceAccount; onDone: () => void }) {
  const { tenantId } = useSession().user
  const [name, setName] = useState(account.name)
  const [description, setDescription] = useState(account.description ?? '')
  return (
    <DialogForm
      submit={t.common.save}
      canSubmit={name.trim() !== ''}
      save={() =>
        doorOf(account.owner, tenantId).update(account.id, {
          name: name.trim(),
          description: description.trim() || null,
        })
      }
      onSaved={async () => {
        await invalidate(serviceAccountQueries.all)
        onDone()
      }}
      onCancel={onDone}
    >
      <NameFields name={name} description={description} onName={setName} onDescription={setDescription} />
    </DialogForm>
  )
}

/** Enables and disables the account at once. */
function EnabledSwitch({ account, isDisabled }: { account: ServiceAccount; isDisabled: boolean }) {
  const { tenantId } = useSession().user
  const { owner, id, name, description, isEnabled } = account
  const change = useMutation({
    mutationFn: (wanted: boolean) => doorOf(owner, tenantId).update(id, { name, description, isEnabled: wanted }),
    onSettled: () => invalidate(serviceAccountQueries.all),
  })
  return (
    <>
      <Switch
        label={t.serviceAccounts.isEnabled}
        description={t.serviceAccounts.isEnabledHint}
        disabled={isDisabled}
        {...checkProps(change.isPending ? change.variables : isEnabled, change.mutate)}
      />
      {change.error && <ProblemAlert error={change.error} />}
    </>
  )
}

/** Side pane of an account: state, keys, rights. */
export function ServiceAccountPane({ listed, onClose }: { listed: ServiceAccount; onClose: () => void }) {
  const { user, can } = useSession()
  const { data: account = listed } = useQuery({
    ...serviceAccountQueries.one(listed.owner, user.tenantId, listed.id),
    placeholderData: listed,
  })
  const { owner, id, name, description, createdAt, accessMode, credentials } = account
  const mayWrite = can(serviceAccountRights[owner].write)
  return (
    <SidePane title={visibleName(name)} onClose={onClose}>
      {description && <p style={{ margin: 0, overflowWrap: 'anywhere' }}>{visibleName(description)}</p>}
      <p className="small muted" style={{ margin: '4px 0 12px' }}>
        {t.serviceAccounts.owner[owner]} · {t.serviceAccounts.created} <RelativeTime at={createdAt} />
      </p>
      <EnabledSwitch account={account} isDisabled={!mayWrite} />
      <ServiceAccountKeys account={account} />
      <PaneSection title={t.serviceAccounts.rights} hint={t.serviceAccounts.rightsOf[accessMode ?? 'Restricted']}>
        {accessMode !== 'Unrestricted' && <GrantLines label={t.serviceAccounts.rights} of={{ principalId: id }} />}
        {accessMode !== 'Unrestricted' && <RightsLinks kind="ServiceAccount" id={id} />}
      </PaneSection>
      {can('appliance.audit.read') && (
        <PaneSection title={t.serviceAccounts.done}>
          <TextLink to={`/audit?${new URLSearchParams({ person: id })}`}>{t.serviceAccounts.openAudit}</TextLink>
        </PaneSection>
      )}
      <PaneSection title={t.serviceAccounts.id}>
        <Group gap={8} wrap="nowrap">
          <code style={{ overflowWrap: 'anywhere', minWidth: 0 }}>{id}</code>
          <CopyButton text={id} />
        </Group>
      </PaneSection>
      {mayWrite && (
        <Group mt="md" gap="xs">
          <FormButton label={t.serviceAccounts.edit}>
            {(close) => <EditForm account={account} onDone={close} />}
          </FormButton>
          <DeleteButton
            label={t.serviceAccounts.remove}
            title={t.serviceAccounts.removeTitle(visibleName(name))}
            onConfirm={() => doorOf(owner, user.tenantId).remove(id)}
            onConfirmed={() => {
              onClose()
              void invalidate(serviceAccountQueries.all)
            }}
          >
            {t.serviceAccounts.removeHint(credentials.filter((key) => keyStateOf(key, Date.now()) === 'active').length)}
          </DeleteButton>
        </Group>
      )}
    </SidePane>
  )
}
