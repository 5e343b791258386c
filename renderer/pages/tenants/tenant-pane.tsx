import { Button, Group, TextInput } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { TenantResponseDto } from '../../../shared/dtos/tenant.ts'
import { api } from '../../api/http.ts'
import { serverQueries } from '../../api/server-queries.ts'
import { invalidate } from '../../api/query-client.ts'
import { CopyButton } from '../../components/copy-button.tsx'
import { DeleteButton } from '../../components/list-kit/dialogs.tsx'
import { PaneSection, SidePane } from '../../components/list-kit/side-pane.tsx'
import { showUndo } from '../../components/list-kit/undo-toast.tsx'
import { problemText } from '../../components/problem-alert.tsx'
import { useSession } from '../../hooks/use-session.ts'
import * as t from '../../texts.ts'
import { visibleName } from '../../text/visible-name.ts'
import { submitHandler } from '../../components/request-form.tsx'
import { QueryState } from '../../components/query-state.tsx'

function RenameForm({ tenant }: { tenant: TenantResponseDto }) {
  const { tenantId, tenantName } = tenant
  const [name, setName] = useState(tenantName)
  const reload = () => invalidate(serverQueries.tenants.queryKey)
  const rename = useMutation({
    mutationFn: (wanted: string) => api.tenants.update({ params: { tenantId }, body: { name: wanted } }),
    onSuccess: async (_answer, wanted) => {
      await reload()
      showUndo(t.tenants.renamed(visibleName(wanted)), async () => {
        await api.tenants.update({ params: { tenantId }, body: { name: tenantName } })
        setName(tenantName)
        await reload()
      })
    },
  })
  const wanted = name.trim()
  const isChanged = wanted !== '' && wanted !== tenantName
  const handleSubmit = submitHandler(() => {
    if (isChanged && !rename.isPending) {
      rename.mutate(wanted)
    }
  })
  return (
    <form onSubmit={handleSubmit}>
      <div className="field-row">
        <TextInput
          style={{ flex: '1 1 200px' }}
          label={t.tenants.name}
          maxLength={100}
          autoComplete="off"
          value={name}
          error={rename.error && problemText(rename.error)}
          onChange={(event) => setName(event.currentTarget.value)}
        />
        <Button type="submit" variant="default" disabled={!isChanged} loading={rename.isPending}>
          {t.tenants.rename}
        </Button>
      </div>
    </form>
  )
}

/** Side pane of an organization: name, id, deletion. */
export function TenantPane({ tenantId, onClose }: { tenantId: string; onClose: () => void }) {
  const { user, can } = useSession()
  const query = useQuery(serverQueries.tenant(tenantId))
  const { data: tenant } = query
  const isOwn = tenantId === user.tenantId
  return (
    <SidePane title={visibleName(tenant?.tenantName ?? '')} label={tenant?.tenantName ?? tenantId} onClose={onClose}>
      {!tenant && <QueryState query={query} height={240} />}
      {tenant && (
        <>
          {can('server.tenants.write') && <RenameForm key={tenant.tenantName} tenant={tenant} />}
          <PaneSection title={t.tenants.id}>
            <Group gap={8} wrap="nowrap">
              <code style={{ overflowWrap: 'anywhere', minWidth: 0 }}>{tenantId}</code>
              <CopyButton text={tenantId} />
            </Group>
          </PaneSection>
          {can('server.tenants.delete') &&
            (isOwn ? (
              <p className="small muted">{t.tenants.ownHint}</p>
            ) : (
              <DeleteButton
                label={t.tenants.remove}
                title={t.tenants.removeTitle(visibleName(tenant.tenantName))}
                typedName={tenant.tenantName}
                button={{ mt: 'md' }}
                onConfirm={() => api.tenants.delete({ params: { tenantId } })}
                onConfirmed={() => {
                  onClose()
                  void invalidate(serverQueries.tenants.queryKey)
                }}
              >
                {t.tenants.removeHint}
              </DeleteButton>
            ))}
        </>
      )}
    </SidePane>
  )
}
