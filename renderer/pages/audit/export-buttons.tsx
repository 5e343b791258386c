import { Button, Group, Tooltip } from '@mantine/core'
import { IconDownload } from '@tabler/icons-react'
import { useMutation } from '@tanstack/react-query'
import { applianceAuditLog, type AuditFilters } from '../../../shared/api/appliance-audit-log.ts'
import { buildUrl } from '../../../shared/contract/client.ts'
import { ProblemAlert } from '../../components/problem-alert.tsx'
import { saveAddress } from '../../features/transfers/download.ts'
import { en as t } from '../../strings/en.ts'

const { export: ofTenant, exportAll } = applianceAuditLog.routes

interface ExportButtonsProps {
  tenantId: string | undefined
  filters: AuditFilters
}

/** Saves every matching entry as a file. */
export function ExportButtons({ tenantId, filters }: ExportButtonsProps) {
  const save = useMutation({
    mutationFn: (format: 'csv' | 'jsonl') => {
      const query = { ...filters, format }
      return saveAddress(
        tenantId === undefined ? buildUrl(exportAll.path, { query }) : buildUrl(ofTenant.path, { query, tenantId }),
      )
    },
  })
  return (
    <>
      <Group gap="xs" wrap="nowrap">
        {(['csv', 'jsonl'] as const).map((format) => (
          <Tooltip key={format} label={t.audit.exportHint}>
            <Button
              variant="default"
              leftSection={<IconDownload size={16} stroke={1.6} />}
              loading={save.isPending && save.variables === format}
              onClick={() => save.mutate(format)}
            >
              {format === 'csv' ? t.audit.exportCsv : t.audit.exportLines}
            </Button>
          </Tooltip>
        ))}
      </Group>
      {save.error && <ProblemAlert error={save.error} title={t.audit.exportFailed} />}
    </>
  )
}
