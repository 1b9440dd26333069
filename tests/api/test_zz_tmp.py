from tests.api.test_server import *
def test_mem(agent, site, everybody):
    import resource
    resource.setrlimit(resource.RLIMIT_NOFILE,(20000,20000))
    a=submit(agent)
    for _ in range(2):
        w=Waiting(agent,[f"{ACTIONS}/{a}?wait=1"]*1500); w.answers()
    b=status_of(site,"VmRSS"); t=status_of(site,"Threads")
    w=Waiting(agent,[f"{ACTIONS}/{a}?wait=60"]*1500)
    time.sleep(30)
    print("per waiter KiB",(status_of(site,"VmRSS")-b)/1500, "threads",t,status_of(site,"Threads"))
    approve(a); t0=time.monotonic()
    ans=w.answers(); print("all told in", max(c for _,c in ans)-t0, sum(x["status"]=="decided" for x,_ in ans))
