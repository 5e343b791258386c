import { Button, Modal } from '@mantine/core'
import { IconBellCog, IconPlus } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import type { AlertRuleDto, AlertRuleRequestDto } from '../../../shared/dtos/alert-rule.ts'
import { permissionTexts } from '../../../shared/permission-texts.ts'
import { alertQueries } from '../../api/alert-queries.ts'
import { api } from '../../api/http.ts'
import { wholeList } from '../../components/list-kit/list-data.ts'
import { ListPage, ListView } from '../../components/list-kit/list-page.tsx'
import { useListAddress } from '../../components/list-kit/use-list-address.ts'
import type { ListColumn } from '../../components/list-kit/virtual-list.tsx'
import { visibleName } from '../../text/visible-name.ts'
import * as t from '../../texts.ts'
import { newConditions } from './conditions.ts'
import { invalidate } from '../../api/query-client.ts'
import { RuleForm } from './rule-form.tsx'
import { RulePane, scopeText } from './rule-pane.tsx'

const columns: readonly ListColumn<AlertRuleDto>[] = [
  {
    id: 'name',
    label: t.common.name,
    width: 'minmax(0, 1fr)',
    cell: ({ name }) => <bdi>{visibleName(name)}</bdi>,
  },
  {
    id: 'settings',
    label: t.alertRules.looksFor,
    width: 'minmax(0, 1.4fr)',
    from: 560,
    cell: ({ condition }) => <span className="muted">{t.alertRules.condition(condition)}</span>,
  },
  {
    id: 'where',
    label: t.alertRules.where,
    width: 'minmax(0, 0.7fr)',
    from: 760,
    cell: (rule) => scopeText(rule),
  },
  {
    id: 'tells',
    label: t.alertRules.tells,
    width: '150px',
    from: 900,
    cell: ({ receivers }) => t.alertRules.receivers[receivers.kind],
  },
  {
    id: 'open',
    label: '',
    width: '110px',
    from: 480,
    cell: ({ openAlerts }) =>
      openAlerts > 0 && <span className="tabular muted">{t.alertRules.openAlerts(openAlerts)}</span>,
  },
  {
    id: 'state',
    label: t.common.state,
    width: '76px',
    cell: ({ isEnabled, mayAct }) => (!isEnabled ? t.alertRules.off : mayAct ? t.alertRules.on : t.alertRules.stopped),
  },
]

const [first] = newConditions
const start: AlertRuleRequestDto = {
  name: t.alertRules.name(first!.kind),
  condition: first!,
  scope: { kind: 'everything', id: null },
  receivers: { kind: 'on-call', userIds: [] },
  isEnabled: true,
}

/** Rules that open alerts: those of the server, and those that people made. */
export function RulesPart({ tabs }: { tabs: ReactNode }) {
  const [address, change, list] = useListAddress([], ['new'])
  const query = useQuery(alertQueries.rules)
  const rules = query.data?.items ?? []
  const mayEdit = query.data?.mayEdit ?? false
  const opened = rules.find(({ id }) => id === address.open)
  const close = () => change({ new: '' })
  const action = mayEdit && (
    <Button leftSection={<IconPlus size={16} />} onClick={() => change({ new: 'rule' })}>
      {t.alertRules.create}
    </Button>
  )
  return (
    <ListPage
      list={list}
      title={t.alerts.title}
      intro={
        query.data && !mayEdit
          ? t.alertRules.needs(permissionTexts['tenant.settings.write'].displayName)
          : t.alertRules.intro
      }
      action={action}
      notice={tabs}
      shown={rules.length > 0 ? t.alertRules.shown(rules.length) : ''}
      pane={opened && <RulePane key={opened.id} rule={opened} mayEdit={mayEdit} onClose={() => change({ open: '' })} />}
    >
      <ListView
        list={list}
        label={t.alertRules.list}
        data={wholeList(query, rules)}
        columns={columns}
        isMuted={({ isEnabled }) => !isEnabled}
        empty={{ icon: IconBellCog, title: t.alertRules.emptyTitle, hint: t.alertRules.emptyHint, action }}
      />
      <Modal opened={mayEdit && address.new !== ''} onClose={close} title={t.alertRules.create} size="lg">
        <RuleForm
          start={start}
          submit={t.alertRules.createSubmit}
          isNew
          save={(body) => api.alerts.createRule({ body })}
          onSaved={({ id }) => {
            change({ new: '', open: id })
            void invalidate(alertQueries.all)
          }}
          onCancel={close}
        />
      </Modal>
    </ListPage>
  )
}
