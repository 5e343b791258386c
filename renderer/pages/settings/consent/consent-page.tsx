import { Button, Modal } from '@mantine/core'
import { IconHandStop, IconPlus } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import {
  maxConsentPolicies,
  type ConsentPolicyBody,
  type ConsentPolicyDto,
} from '../../../../shared/api/appliance-consent.ts'
import { consentSubjects } from '../../../../shared/dtos/consent.ts'
import { consentQueries } from '../../../api/consent-queries.ts'
import { api } from '../../../api/http.ts'
import { organizationQueries } from '../../../api/organization-queries.ts'
import { invalidate } from '../../../api/query-client.ts'
import { wholeList } from '../../../components/list-kit/list-data.ts'
import { ListPage, ListView } from '../../../components/list-kit/list-page.tsx'
import { useListAddress } from '../../../components/list-kit/use-list-address.ts'
import type { ListColumn } from '../../../components/list-kit/virtual-list.tsx'
import { pageWithRight } from '../../../components/no-right.tsx'
import { useSession } from '../../../hooks/use-session.ts'
import { visibleName } from '../../../text/visible-name.ts'
import * as t from '../../../texts.ts'
import { SettingsTabs } from '../settings-tabs.tsx'
import { PolicyForm } from './policy-form.tsx'
import { PolicyPane } from './policy-pane.tsx'

const newPolicy: ConsentPolicyBody = {
  name: '',
  customerId: null,
  tagId: null,
  exceptPermission: null,
  control: 'signed-in',
  viewing: 'signed-in',
  terminal: 'never',
  files: 'never',
  allowsSilence: false,
}

/** Names the devices of policies; a customer that the person may not see stays unnamed. */
function useDeviceWords() {
  const { can } = useSession()
  const customers = useQuery({
    ...organizationQueries.customers,
    enabled: can('tenant.customers.read'),
  }).data
  const tags = useQuery(organizationQueries.tags).data
  const nameIn = (list: readonly { id: string; name: string }[] | undefined, id: string | null) =>
    id === null ? undefined : visibleName(list?.find((each) => each.id === id)?.name ?? t.consent.gone)
  return ({ customerId, tagId }: ConsentPolicyDto) =>
    t.consent.devicesOf(nameIn(customers, customerId), nameIn(tags, tagId))
}

const columnsFor = (devicesOf: (policy: ConsentPolicyDto) => string): readonly ListColumn<ConsentPolicyDto>[] => [
  {
    id: 'name',
    label: t.common.name,
    width: 'minmax(0, 1fr)',
    cell: ({ name }) => <bdi>{visibleName(name)}</bdi>,
  },
  {
    id: 'devices',
    label: t.consent.devices,
    width: 'minmax(0, 1fr)',
    from: 560,
    cell: (policy) => <span className="muted">{devicesOf(policy)}</span>,
  },
  {
    id: 'asks',
    label: t.consent.asks,
    width: 'minmax(0, 2fr)',
    narrow: 'minmax(0, 1fr)',
    cell: (policy) => (
      <span className="muted">
        {t.consent.asksBefore(consentSubjects.filter((subject) => policy[subject] !== 'never'))}
      </span>
    ),
  },
]

function Policies() {
  const { can } = useSession()
  const [address, change, list] = useListAddress([], ['new'])
  const query = useQuery(consentQueries.policies)
  const devicesOf = useDeviceWords()
  const rows = query.data ?? []
  const opened = rows.find(({ id }) => id === address.open)
  const isFull = rows.length >= maxConsentPolicies
  const action = can('tenant.settings.write') && (
    <Button
      leftSection={<IconPlus size={16} />}
      disabled={isFull}
      title={isFull ? t.consent.full : undefined}
      onClick={() => change({ new: 'policy' })}
    >
      {t.consent.create}
    </Button>
  )
  const close = () => change({ new: '' })
  return (
    <ListPage
      list={list}
      title={t.consent.title}
      intro={t.consent.intro}
      action={action}
      notice={<SettingsTabs />}
      shown={rows.length > 0 ? t.consent.shown(rows.length) : ''}
      pane={
        opened && (
          <PolicyPane
            key={opened.id}
            policy={opened}
            devices={devicesOf(opened)}
            onClose={() => change({ open: '' })}
          />
        )
      }
    >
      <ListView
        list={list}
        label={t.consent.list}
        data={wholeList(query, rows)}
        columns={columnsFor(devicesOf)}
        empty={{ icon: IconHandStop, title: t.consent.emptyTitle, hint: t.consent.emptyHint, action }}
      />
      <Modal opened={address.new !== ''} onClose={close} title={t.consent.createTitle} size="lg">
        <PolicyForm
          start={newPolicy}
          submit={t.consent.createSubmit}
          save={(body) => api.consent.create({ body })}
          onSaved={({ id }) => {
            change({ new: '', open: id })
            void invalidate(consentQueries.all)
          }}
          onCancel={close}
        />
      </Modal>
    </ListPage>
  )
}

/** Policies of the organization that ask the person at a device before a visit. */
export const Component = pageWithRight(t.consent.title, ['tenant.settings.read'], Policies)
