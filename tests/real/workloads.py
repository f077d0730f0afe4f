# SPDX-License-Identifier: MIT
"""What programs of the system compute for a few seconds."""
SQL = ('with recursive c(x) as (select 1 union all select x + 1 from c where x < 900000) '
       'select count(*), sum(x % 7) from (select x, hex(x) h from c order by h);')
PYTHON = '''
import re
rows = ["%d:%s" % (i * 7919 % 100003, i) for i in range(400000)]
for turn in range(3):
    rows.sort(key=lambda r: r[::-1])
    re.findall("[0-9]+:1", " ".join(rows))
'''
