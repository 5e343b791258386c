import { Button } from '@mantine/core'
import { IconPlus, IconWebhook } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { maxWebhooks, type ListedWebhookDto } from '../../../../shared/api/appliance-webhooks.ts'
import { wholeList } from '../../../components/list-kit/list-data.ts'
import { ListPage, ListView } from '../../../components/list-kit/list-page.tsx'
import { useListAddress } from '../../../components/list-kit/use-list-address.ts'
import type { ListColumn } from '../../../components/list-kit/virtual-list.tsx'
import { pageWithRight } from '../../../components/no-right.tsx'
import { RelativeTime } from '../../../components/relative-time.tsx'
import * as t from '../../../texts.ts'
import { visibleName } from '../../../text/visible-name.ts'
import { SettingsTabs } from '../settings-tabs.tsx'
import { DeliveryMark } from './delivery-mark.tsx'
import { NewWebhook } from './new-webhook.tsx'
import { WebhookPane } from './webhook-pane.tsx'
import { webhookQueries } from './webhook-queries.ts'
import { webhookState } from './webhook-state.ts'

const columns: readonly ListColumn<ListedWebhookDto>[] = [
  {
    id: 'name',
    label: t.common.name,
    width: 'minmax(0, 1fr)',
    cell: ({ name }) => <bdi>{visibleName(name)}</bdi>,
  },
  {
    id: 'address',
    label: t.webhooks.address,
    width: 'minmax(0, 1fr)',
    from: 560,
    // The rest of an address is often a secret.
    cell: ({ url }) => <span className="muted">{visibleName(new URL(url).host)}</span>,
  },
  {
    id: 'state',
    label: t.common.state,
    width: '140px',
    narrow: '124px',
    cell: (webhook) => <DeliveryMark state={webhookState(webhook)} />,
  },
  {
    id: 'waiting',
    label: '',
    width: '110px',
    from: 800,
    cell: ({ waiting }) => waiting > 0 && <span className="tabular muted">{t.webhooks.waiting(waiting)}</span>,
  },
  {
    id: 'last',
    label: t.webhooks.last,
    width: '110px',
    from: 440,
    cell: ({ lastDelivery: last }) => last && <RelativeTime at={last.lastAt ?? last.createdAt} />,
  },
]

function Webhooks() {
  const [address, change, list] = useListAddress([], ['new'])
  const query = useQuery(webhookQueries.list)
  const rows = query.data ?? []
  const opened = rows.find(({ id }) => id === address.open)
  const isFull = rows.length >= maxWebhooks
  const action = (
    <Button
      leftSection={<IconPlus size={16} />}
      disabled={isFull}
      title={isFull ? t.webhooks.full : undefined}
      onClick={() => change({ new: 'webhook' })}
    >
      {t.webhooks.create}
    </Button>
  )
  return (
    <ListPage
      list={list}
      title={t.webhooks.title}
      intro={t.webhooks.intro}
      action={action}
      notice={<SettingsTabs />}
      shown={rows.length > 0 ? t.webhooks.shown(rows.length) : ''}
      pane={opened && <WebhookPane key={opened.id} webhook={opened} onClose={() => change({ open: '' })} />}
    >
      <ListView
        list={list}
        label={t.webhooks.list}
        data={wholeList(query, rows)}
        columns={columns}
        isMuted={({ isEnabled }) => !isEnabled}
        empty={{ icon: IconWebhook, title: t.webhooks.emptyTitle, hint: t.webhooks.emptyHint, action }}
      />
      <NewWebhook
        isOpen={address.new !== ''}
        onClose={() => change({ new: '' })}
        onCreated={(id) => change({ new: '', open: id })}
      />
    </ListPage>
  )
}

/** Webhooks of the organization: events for programs. */
export const Component = pageWithRight(t.webhooks.title, ['tenant.settings.write'], Webhooks)
