curl -s https://guard.example/api/v1/actions -H "Authorization: Bearer pgr_YOUR_KEY" \
  -H "Content-Type: application/json" -H "Idempotency-Key: lunch-1" -H "Prefer: wait=30" \
  -d '{"query": "Pay Daniel $30.", "tools": [{"name": "pay", "description": "Pays a person an amount in US dollars.",
       "parameters": {"type": "object", "properties": {"to": {"type": "string"}, "amount": {"type": "number"}}}}],
       "action": {"tool": "pay", "arguments": {"to": "Daniel", "amount": 30}}}'

curl -s "https://guard.example/api/v1/actions/$ACTION?wait=30" -H "Authorization: Bearer pgr_YOUR_KEY"

curl -s -X POST "https://guard.example/api/v1/actions/$ACTION/execution" -H "Authorization: Bearer pgr_YOUR_KEY" \
  -H "Idempotency-Key: lunch-1"

curl -s -X PUT "https://guard.example/api/v1/actions/$ACTION/execution/outcome" -H "Authorization: Bearer pgr_YOUR_KEY" \
  -H "Content-Type: application/json" -d '{"status": "succeeded", "outcome": "Paid."}'
