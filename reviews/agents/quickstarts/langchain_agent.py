from langchain.agents import create_agent
from my_agent import model, pay
from provenanceguard import Guard
from provenanceguard.adapters.langchain import GuardMiddleware

guard = Guard("https://guard.example", "pgr_YOUR_KEY")
agent = create_agent(model, [pay], middleware=[GuardMiddleware(guard)])
agent.invoke({"messages": [{"role": "user", "content": "Pay Daniel $30."}]})
